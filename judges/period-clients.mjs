// Judge: the client packages people used in each period of the protocol, against this server and against a server
// written on its library. Each must end up at its own revision and find nothing there it does not know.
import { conduct } from './shared/conduct.mjs'
import { openReport } from './shared/report.mjs'
import { periodClients } from './shared/session.mjs'

const report = openReport('period-clients')
for (const client of periodClients) {
  await conduct(report, `${client.label} (${client.revision})`, client, process.execPath)
}
report.finish()
