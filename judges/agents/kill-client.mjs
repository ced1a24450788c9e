// kill -9 of a client while it waits for a command and a job runs: the server and everything it started have to end.
import { setTimeout as delay } from 'node:timers/promises'
import { killProcesses, processesOf } from './processes.mjs'

export const killScenarios = [
  {
    name: 'kill',
    async *run() {
      yield { tool: 'BackgroundBash', input: { command: 'sleep 3001' } }
      yield { tool: 'Bash', input: { command: 'sleep 3002 & sleep 3003' } }
    },
  },
]

/** Waits until all three commands run, then kills the client: every process between the judge and the server. */
export async function killWhileRunning({ workspace }) {
  const end = Date.now() + 120_000
  let found = []
  const runs = (command) => found.some((one) => one.command === command)
  while (!['sleep 3001', 'sleep 3002', 'sleep 3003'].every(runs)) {
    if (Date.now() > end) throw new Error(`the commands did not start; there were ${JSON.stringify(found)}`)
    await delay(50)
    found = processesOf(workspace.root)
  }
  const server = found.find(({ command }) => /scorpiox-code\.js(?: |$)/.test(command))
  const client = []
  for (let pid = server?.parent; pid !== undefined && pid !== process.pid; pid = client.at(-1)?.parent) {
    const parent = found.find((one) => one.pid === pid)
    if (!parent) break
    client.push(parent)
  }
  if (client.length === 0) throw new Error(`no client above the server; there were ${JSON.stringify(found)}`)
  killProcesses(client)
}
