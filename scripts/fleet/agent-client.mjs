// A real agent client with the scripted model of judges/agents, connected to the load balancer, that calls tools without
// a pause while all machines are restarted one after the other. The client is installed by scripts/fleet.mjs beforehand.

import { join } from 'node:path'

import { codex } from '../../judges/agents/drivers/codex.mjs'
import { runSession } from '../../judges/agents/session.mjs'
import { createWorkspace } from '../../judges/agents/workspace.mjs'
import { rollingRestart } from './fault-list.mjs'

const MAX_CALLS = 400

export const AGENT = codex

/** Resolves to a row of the report. */
export async function runAgentClient(fleet) {
  const workspace = createWorkspace(AGENT.id)
  const [user] = fleet.users
  const packages = join(import.meta.dirname, '../../judges/agents/packages', AGENT.id, 'node_modules')
  const wrong = []
  const restarting = new AbortController()
  let [calls, restarted] = [0, {}]
  const scenario = {
    name: 'a rolling restart',
    async *run() {
      while (!restarting.signal.aborted && calls < MAX_CALLS) {
        const value = `agent-${++calls}`
        const command = calls % 5 === 0 ? `sleep 8; echo ${value}` : `echo ${value}`
        const result = yield { tool: 'Bash', input: { command } }
        const text = JSON.stringify(result.blocks)
        if (result.isError || !text.includes(value)) wrong.push(`call ${calls}: ${text.slice(0, 300)}`)
      }
    },
  }
  try {
    AGENT.configure({ workspace })
    AGENT.connectHttp({ workspace, url: `${fleet.url}/mcp`, token: user.token })
    const during = async () => {
      try {
        restarted = await rollingRestart(fleet)
      } finally {
        restarting.abort()
      }
    }
    const { outcomes } = await runSession({ driver: AGENT, packages, workspace, scenarios: [scenario], during })
    const problems = [...outcomes.values()].filter(Boolean).map(({ message }) => message)
    return {
      figures: { calls, failed: wrong.length, 'restart s': restarted.seconds },
      violations: [...wrong, ...problems],
    }
  } finally {
    workspace.remove()
  }
}
