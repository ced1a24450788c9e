// Judge: both servers under the other supported runtimes, driven by the newest client in both protocol eras. The binaries
// are optional packages for Linux x64; the checks of a missing one are skipped by name.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { conduct } from './shared/conduct.mjs'
import { remembers } from './shared/remembers.mjs'
import { openReport } from './shared/report.mjs'
import { periodClients } from './shared/session.mjs'

const runtimes = { node22: 'bin/node', node24: 'bin/node', bun: 'bin/bun' }
const clients = periodClients.filter(({ mode }) => mode && mode !== 'auto')

const report = openReport('runtimes')
for (const [name, file] of Object.entries(runtimes)) {
  const binary = join(import.meta.dirname, 'node_modules', name, file)
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  if (status !== 0) {
    report.skip(name, `no ${name} for ${process.platform} ${process.arch}`)
    continue
  }
  const label = name === 'bun' ? `bun ${stdout.trim()}` : `node ${stdout.trim().slice(1)}`
  for (const client of clients) {
    await conduct(report, `${label} | ${client.label}`, client, binary)
    await remembers(report, `${label} | ${client.label}`, client, binary)
  }
}
report.finish()
