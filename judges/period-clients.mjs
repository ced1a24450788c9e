// Judge: the client packages of each period of the protocol, against this server and one written with its library. Each must
// negotiate its own revision and receive nothing that it does not know.
import { conduct } from './shared/conduct.mjs'
import { openReport } from './shared/report.mjs'
import { periodClients } from './shared/session.mjs'

const report = openReport('period-clients')
for (const client of periodClients) {
  await conduct(report, `${client.label} (${client.revision})`, client, process.execPath)
}
report.finish()
