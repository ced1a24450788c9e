import fc from 'fast-check'
import { expect, test } from 'vitest'

import { parseConsoleMessage, parseFeedMessage } from './socket-messages.js'
import type { JobView } from './view.js'

const JOB: JobView = {
  server: 'a',
  project: '/srv/p',
  id: 1,
  command: 'make',
  startedAt: 1,
  endedAt: null,
  isRunning: true,
  exitCode: null,
  ending: null,
  signal: null,
  tail: 'x',
}
const CALL = { server: 'a', project: '/srv/p', tool: 'Bash', about: '', outcome: 'ok', startedAt: 1, ms: 2 }
const TOOL = { name: 'Bash', works: false, note: 'why' }
const SERVER = { id: 'a', pid: 1, transport: 'stdio', project: '/srv/p', startedAt: 1, version: '1', tools: [TOOL] }
const UPDATE = { server: SERVER, jobs: [JOB], calls: [CALL], databaseChanged: true }

test('parses valid messages unchanged', () => {
  expect(parseFeedMessage(JSON.stringify({ kind: 'update', update: UPDATE }))).toEqual({
    kind: 'update',
    update: UPDATE,
  })
  const chunk = { from: 5, size: 9, isRunning: true, base64: 'eA==' }
  expect(parseFeedMessage(JSON.stringify({ kind: 'reply', to: 3, chunk: chunk }))).toEqual({
    kind: 'reply',
    to: 3,
    chunk: chunk,
  })
  expect(parseFeedMessage('{"kind":"reply","to":3,"text":"of another version"}')).toEqual({ kind: 'reply', to: 3 })
  expect(parseConsoleMessage('{"kind":"ask","id":3,"verb":"output","job":4,"from":0,"maxBytes":7}')).toEqual({
    kind: 'ask',
    id: 3,
    verb: 'output',
    job: 4,
    from: 0,
    maxBytes: 7,
  })
  expect(parseConsoleMessage('{"kind":"ask","id":3,"verb":"output","job":4,"from":-1,"maxBytes":7}')).toBeUndefined()
  expect(parseConsoleMessage('{"kind":"ask","id":3,"verb":"kill","job":4}')).toEqual({
    kind: 'ask',
    id: 3,
    verb: 'kill',
    job: 4,
  })
})

test('drops a part with any invalid member', () => {
  for (const [part, item] of Object.entries({ jobs: JOB, calls: CALL })) {
    for (const name of Object.keys(item)) {
      for (const wrong of [undefined, {}, [], 'wrong'.repeat(name === 'outcome' || name === 'ending' ? 1 : 0) || {}]) {
        const line = JSON.stringify({
          kind: 'update',
          update: { ...UPDATE, [part]: [item, { ...item, [name]: wrong }] },
        })
        expect(parseFeedMessage(line)).toEqual({ kind: 'update', update: { ...UPDATE, [part]: undefined } })
      }
    }
  }
  for (const name of Object.keys(SERVER)) {
    const line = JSON.stringify({ kind: 'update', update: { ...UPDATE, server: { ...SERVER, [name]: null } } })
    expect(parseFeedMessage(line)).toEqual({ kind: 'update', update: { ...UPDATE, server: undefined } })
  }
})

test('no input makes a parser throw', () => {
  const message = fc.record(
    {
      kind: fc.constantFrom('update', 'reply', 'presence', 'ask', 'database-changed', 'other'),
      update: fc.anything(),
      to: fc.anything(),
      text: fc.anything(),
      user: fc.anything(),
      watching: fc.anything(),
      id: fc.anything(),
      verb: fc.anything(),
      job: fc.anything(),
    },
    { requiredKeys: [] },
  )
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    message.map((value) => JSON.stringify(value) ?? ''),
  )
  fc.assert(
    fc.property(line, (text) => {
      parseFeedMessage(text)
      const read = parseConsoleMessage(text)
      if (read?.kind === 'presence') expect(typeof read.user).toBe('string')
      if (read?.kind === 'ask' && read.verb !== 'secret') expect(Number.isSafeInteger(read.job)).toBe(true)
    }),
  )
})
