// Judge: real agent clients, driven end to end by a scripted model on loopback; checks what arrives at the model.
// `node judges/agents.mjs [--all] [client...]`; --write stores the results for the table of docs/clients.md.
import { drivers } from './agents/drivers.mjs'
import { judgeClient } from './agents/judge-client.mjs'
import { installClient } from './agents/packages.mjs'
import { expectKept, writeResults } from './agents/results.mjs'
import { openReport } from './shared/report.mjs'

const report = openReport('agents')
const args = process.argv.slice(2)
const named = args.filter((name) => !name.startsWith('--'))
const unknown = named.filter((name) => drivers.every(({ id }) => id !== name))
if (unknown.length > 0) {
  console.error(`no client called ${unknown.join(', ')}; there are ${drivers.map(({ id }) => id).join(', ')}`)
  process.exit(1)
}
const waiting = drivers.filter(({ id, always }) =>
  named.length > 0 ? named.includes(id) : always || args.includes('--all'),
)
const found = {}
await Promise.all([judgeNext(), judgeNext()])
if (args.includes('--write')) writeResults(found)
report.finish()

/** One of two workers: runs the next client until none is left. */
async function judgeNext() {
  for (let driver = waiting.shift(); driver; driver = waiting.shift()) {
    const installed = await install(driver)
    if (!installed) continue
    const { folder: packages, version } = installed
    const result = await judgeClient({ driver, packages, version, report })
    found[driver.id] = result
    if (args.includes('--write') || process.env.JUDGE_SESSION || Object.values(result.scenarios).includes(false))
      continue
    await check(`${driver.label} | results.json`, async () => expectKept(driver.id, result))
  }
}

/** A client that cannot be installed counts as a failure instead of being skipped. */
async function install(driver) {
  let installed
  await check(`${driver.label} | install`, async () => {
    installed = await installClient(driver)
  })
  return installed
}

function check(label, run) {
  return report.check(label, run, () => [], 300_000)
}
