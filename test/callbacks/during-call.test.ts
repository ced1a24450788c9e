// A callback that becomes due during a call is part of the result of that call, on every transport and revision. Calls
// without a pause between them do not delay it.

import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import {
  call,
  type Json,
  LEGACY,
  MODERN,
  modernMeta,
  newEnvironment,
  startJob,
  startServerIn,
} from '../support/client.js'
import {
  callOf,
  type HttpRequest,
  type HttpServer,
  initialize,
  modernCall,
  sendRequest,
  startProgram,
} from '../support/http-client.js'
import { eventually } from '../support/eventually.js'
import { underLoad } from '../support/load.js'

/** Calls a tool and returns all texts of the result as one. */
type Caller = (name: string, args: object) => Promise<string>

interface Connection {
  readonly call: Caller
  readonly close: () => Promise<void>
}

async function overStdio(revision: string): Promise<Connection> {
  const client = startServerIn(newEnvironment())
  const meta = revision === MODERN ? modernMeta() : undefined
  if (!meta) await client.initialize(revision)
  return {
    call: async (name, args) => textOf((await call(client, name, args, meta)).content),
    close: async () => {
      expect(await client.close()).toBe(0)
      expect(client.stderr()).toBe('')
    },
  }
}

async function overHttp(revision: string): Promise<Connection> {
  const { cwd, env } = newEnvironment({ SANDBOX: 'off' })
  const server = await startProgram({ cwd, env })
  const headers = revision === MODERN ? undefined : { 'mcp-session-id': await initialize(server, revision) }
  const asked = (name: string, args: object): HttpRequest =>
    headers ? { body: callOf(name, args), headers } : modernCall(name, args)
  return { call: (name, args) => textOver(server, asked(name, args)), close: () => closed(server) }
}

async function textOver(server: HttpServer, asked: HttpRequest): Promise<string> {
  const { json } = await sendRequest(server, asked)
  return textOf(json.result.content)
}

async function closed(server: HttpServer): Promise<void> {
  await server.stop()
}

function textOf(content: readonly Json[]): string {
  return content.map(({ text }) => text).join('\n')
}

/** The callbacks in these results, in order of arrival. */
function fired(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    [...text.matchAll(/^\[Callback \d fired [^\]]*, (\d+ left\] .*)$/gm)].map(([, message = '']) => message),
  )
}

const CONNECTIONS = [
  ...[...LEGACY, MODERN].map((revision) => ({ name: `stdio ${revision}`, open: () => overStdio(revision) })),
  ...['2025-06-18', '2025-11-25', MODERN].map((revision) => ({
    name: `HTTP ${revision}`,
    open: () => overHttp(revision),
  })),
]
const SHORT = new Set(['stdio 2025-11-25', `stdio ${MODERN}`, `HTTP ${MODERN}`])

for (const { name, open } of CONNECTIONS)
  describe.concurrent(name, { tags: SHORT.has(name) ? [] : ['long'] }, () => {
    test.concurrent('all callbacks that become due during a call are in its result, once', async () => {
      const { call: use, close } = await open()
      const sets = ['one', 'two'].map((message) => ({ message, delay_seconds: 1, repeat_count: 1 }))
      // On a busy machine the first may become due before the second is set: then it is in that result.
      const texts: string[] = []
      for (const set of sets) texts.push(await use('SetCallback', set))
      texts.push(await use('Bash', { command: 'sleep 1.5; echo finished' }))
      expect(fired(texts)).toEqual(['0 left] one', '0 left] two'])
      expect(texts.at(-1)).toMatch(/(^|\] two\n+)finished\n/)
      expect(await use('Bash', { command: 'echo again' })).toMatch(/^again\n/)
      await close()
    })

    test.concurrent('overlapping calls deliver callbacks as they become due', async () => {
      const { call: use, close } = await open()
      // In the order of arrival: on a busy machine the long call may end first and bring one of them.
      const texts: string[] = []
      const long = use('Bash', { command: 'sleep 5; echo long' }).then((text) => texts.push(text))
      texts.push(await use('SetCallback', { message: 'beat', delay_seconds: 1, repeat_count: 3 }))
      const isComplete = (): boolean => texts.some((text) => text.includes('0 left] beat'))
      // Each call is sent as soon as the previous one has its result: the session is never idle.
      for (let calls = 0; calls < 400 && !isComplete(); calls++)
        texts.push(await use('Bash', { command: 'sleep 0.02' }))
      await long
      expect(fired(texts)).toEqual(['2 left] beat', '1 left] beat', '0 left] beat'])
      await close()
    })
  })

test.concurrent('a callback that repeats every second is delivered once with the result of a long call', async () => {
  const { call: use, close } = await overStdio('2025-11-25')
  await use('SetCallback', { message: 'tick', delay_seconds: 1, repeat_count: 10 })
  expect(fired([await use('Bash', { command: 'sleep 3.5; echo finished' })])).toEqual([
    expect.stringMatching(/^\d left\] tick$/),
  ])
  await use('SetCallback', { action: 'cancel' })
  await close()
})

test.concurrent('the end of a job during a call is reported in the result of that call', async () => {
  const client = startServerIn(newEnvironment())
  await client.initialize('2025-11-25')
  const task_id = await startJob(client, 'echo $$ > pid; until [ -e go ]; do sleep 0.05; done; exit 3')
  await call(client, 'SetCallback', { message: 'job over', task_id })
  const { content } = await call(client, 'Bash', {
    command: 'touch go; while kill -0 $(cat pid); do sleep 0.05; done 2>&-; sleep 2; echo finished',
  })
  expect(textOf(content)).toMatch(/^\[Callback 0 fired .*: job 1 ended, exit code 3\] job over\n+finished\n/)
  expect(await client.close()).toBe(0)
})

test.concurrent('a cancelled call delivers nothing: the message waits for the next result', async () => {
  const client = startServerIn(newEnvironment())
  await client.initialize('2025-11-25')
  const set = await call(client, 'SetCallback', { message: 'kept', delay_seconds: 3, repeat_count: 1 })
  // On a very slow machine its own result could have it.
  expect(textOf(set.content)).not.toContain(' fired ')
  const id = 'to-cancel'
  client.send({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'Bash', arguments: { command: 'sleep 60' } },
  })
  // It becomes due during the call, and nothing shows it. After 30 s the command would go on as a job.
  await sleep(Math.min(underLoad(3200), 20_000))
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  // A result waits only briefly for a callback that is being written; then the next result has it.
  const next = async (): Promise<string> => textOf((await call(client, 'Bash', { command: 'echo next' })).content)
  expect(await eventually(next, (text) => text !== 'next\n')).toMatch(/^\[Callback 0 fired .*\] kept\n+next\n/)
  expect(await client.close()).toBe(0)
})
