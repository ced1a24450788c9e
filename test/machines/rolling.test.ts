// A rolling restart under load: every machine is stopped and started again while clients of all kinds call, with long
// calls in progress. No call fails.

import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, describe, expect, test } from 'vitest'

import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import type { Json } from '../support/client.js'
import { callOf, modernCall, rpc, sendRequest } from '../support/http-client.js'
import { requires } from '../support/requirements.js'
import { type Machine, openWebSocket, startFleet, textOf } from './support.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

describe('three machines', requires(postgresRequirement(postgres)), () => {
  test('are restarted one after the other, and no call fails', { tags: ['long'] }, async () => {
    if (!postgres) return
    const fleet = await startFleet(postgres, ['a', 'b', 'c'], {
      WORKSPACE_FILES: 'shared',
      DRAIN_SECONDS: '2',
      DRAIN_TIMEOUT_SECONDS: '20',
      RATE_LIMIT: '0',
    })
    const ready = new Set<Machine>(fleet.machines)
    const failures: string[] = []
    let calls = 0
    const over = new AbortController()
    let turn = 0
    // The load balancer: round robin over those that are ready.
    const next = (): Machine => {
      const machines = [...ready]
      const machine = machines[turn++ % machines.length]
      if (!machine) throw new Error('no machine is ready')
      return machine
    }
    const watch = async (machine: Machine): Promise<void> => {
      while (!over.signal.aborted && machine.child.exitCode === null) {
        const { status } = await sendRequest(machine, { method: 'GET', path: '/readyz', token: '' }).catch(() => ({
          status: 0,
        }))
        if (status === 200) ready.add(machine)
        else ready.delete(machine)
        await sleep(200)
      }
      ready.delete(machine)
    }
    const client = async (command: string): Promise<void> => {
      while (!over.signal.aborted) {
        calls++
        const answer = await sendRequest(next(), modernCall('Bash', { command })).catch((error: unknown) =>
          String(error),
        )
        const text = typeof answer === 'string' ? answer : textOf(answer)
        if (text !== 'done\n') failures.push(text)
      }
    }
    const webSocketClient = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { socket, next: read, closed } = await openWebSocket(next())
        const clientInfo = { name: 'test', version: '0' }
        socket.send(rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 'i'))
        await Promise.race([read(), closed])
        while (!over.signal.aborted && socket.readyState === socket.OPEN) {
          calls++
          socket.send(callOf('Bash', { command: 'sleep 1; echo done' }, 'c'))
          const answer: Json = await Promise.race([read(), closed])
          // Closed before the answer: the call may have been lost.
          if (typeof answer === 'number' && answer !== 1012) failures.push(`closed with ${answer}`)
          else if (typeof answer !== 'number' && answer.result?.content[0].text !== 'done\n')
            failures.push(JSON.stringify(answer))
          await sleep(300)
        }
        socket.close()
      }
    }
    const watching = fleet.machines.map(watch)
    const clients = [
      client('echo done'),
      client('sleep 0.2; echo done'),
      client('sleep 8; echo done'),
      webSocketClient(),
    ]
    for (const machine of fleet.machines) {
      await sleep(1000)
      machine.child.kill('SIGTERM')
      expect(await machine.exited).toBe(0)
      watching.push(watch(await fleet.start(`${machine.name}2`)))
    }
    await sleep(2000)
    over.abort()
    await Promise.all([...clients, ...watching])
    await fleet.stop()
    expect(failures).toEqual([])
    expect(calls).toBeGreaterThan(50)
  })
})
