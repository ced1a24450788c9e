// ListBgTasks with `details`: ports, processor time and memory of all processes of a task, also in the sandbox.

import { describe, expect, test } from 'vitest'

import { call, emptyFolder, HAS_PROC, type Json, startJob, startServer, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type Requirement, requires, SANDBOX } from '../support/requirements.js'

const PROC: Requirement = { isMet: HAS_PROC, reason: 'there is no /proc' }

/** Listens on a port that the system chooses, and prints it. */
const LISTENER = `node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log('port ' + s.address().port))"`

async function detailsOf(client: TestClient, id: number): Promise<{ readonly usage: Json; readonly text: string }> {
  const { text, structured } = await call(client, 'ListBgTasks', { details: true })
  return { text, usage: structured.tasks.find((task: Json) => task.task_id === id) }
}

/** Two listeners, one of which has left the session of its command. */
async function startListeners(client: TestClient): Promise<number> {
  return startJob(client, `${LISTENER} & (setsid ${LISTENER} &); wait`)
}

async function portsOf(client: TestClient, id: number): Promise<readonly number[]> {
  const found = await eventually(
    async () => {
      const { text } = await call(client, 'ReadBgOutput', { task_id: id, tail: 10 })
      return [...text.matchAll(/^port (\d+)$/gm)].map(([, port]) => Number(port))
    },
    (ports) => ports.length === 2,
  )
  return found.toSorted((a, b) => a - b)
}

describe('details of tasks', requires(PROC), () => {
  test('children count, those that have ended too; a quiet task uses nothing', async () => {
    const client = startServer({ cwd: emptyFolder(), env: { STATE_DIR: emptyFolder() } })
    const listeners = await startListeners(client)
    const busy = await startJob(client, 'bash -c "for ((i = 0; i < 300000; i++)); do :; done"; sleep 300')
    const quiet = await startJob(client, 'sleep 300')
    const ports = await portsOf(client, listeners)
    const { usage, text } = await detailsOf(client, listeners)
    expect(usage).toMatchObject({ ports, hasOwnNetwork: false })
    expect(usage.memoryBytes).toBeGreaterThan(20_000_000)
    expect(text).toContain(`listens on ports ${ports.join(', ')}, `)
    const { usage: ofBusy } = await eventually(
      () => detailsOf(client, busy),
      ({ usage: now }) => now.processorMs >= 100 && now.processes === 2,
    )
    expect(ofBusy.ports).toEqual([])
    const { usage: ofQuiet } = await detailsOf(client, quiet)
    expect(ofQuiet).toMatchObject({ ports: [], processes: 2 })
    expect(ofQuiet.processorMs).toBeLessThan(100)
    await client.close()
  })

  test.each(['workspace', 'strict'])('the same in the sandbox: %s', requires(SANDBOX), async (level) => {
    const client = startServer({ cwd: emptyFolder(), env: { STATE_DIR: emptyFolder(), SANDBOX: level } })
    const id = await startListeners(client)
    const ports = await portsOf(client, id)
    const { usage, text } = await detailsOf(client, id)
    expect(usage).toMatchObject({ ports, hasOwnNetwork: level === 'strict', processes: 3 })
    expect(text.includes('in a separate network')).toBe(level === 'strict')
    await client.close()
  })
})
