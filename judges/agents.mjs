// Judge: real agent clients, each driven end to end by a scripted model on loopback. Judged is what arrives at the model.
// `node judges/agents.mjs [--all] [client...]`; --write keeps what was found for the table of docs/clients.md.
import { drivers } from './agents/drivers.mjs'
import { judgeClient } from './agents/judge-client.mjs'
import { installClient } from './agents/packages.mjs'
import { openReport } from './shared/report.mjs'

const report = openReport('agents')
const words = process.argv.slice(2)
const named = words.filter((word) => !word.startsWith('--'))
const chosen = drivers.filter(({ id, always }) =>
  named.length > 0 ? named.includes(id) : always || words.includes('--all'),
)
const waiting = [...chosen]
const found = {}
await Promise.all([walk(), walk()])
report.finish()

/** One of two lanes: the next client that waits, until none does. */
async function walk() {
  for (let driver = waiting.shift(); driver; driver = waiting.shift()) {
    let installed
    const ready = await report.check(
      `${driver.label} | install`,
      async () => (installed = await installClient(driver)),
      () => [],
      300_000,
    )
    if (ready)
      found[driver.id] = await judgeClient({ driver, packages: installed.folder, version: installed.version, report })
  }
}
