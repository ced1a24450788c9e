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
const NEWER = {
  isCommandShortened: false,
  usage: {
    ports: [80],
    hasOwnNetwork: false,
    processes: 1,
    memoryBytes: 1,
    processorMs: 1,
    at: 2,
    history: [{ processorPercent: 1, memoryBytes: 1 }],
    historySince: 1,
  },
}
const CALL = {
  id: 'a.1',
  server: 'a',
  project: '/srv/p',
  session: 's',
  client: '',
  error: null,
  tool: 'Bash',
  about: '',
  outcome: 'ok',
  startedAt: 1,
  ms: 2,
}
const TOOL = { name: 'Bash', works: false, note: 'why' }
const SERVER = { id: 'a', pid: 1, transport: 'stdio', project: '/srv/p', startedAt: 1, version: '1', tools: [TOOL] }
const UPDATE = { server: SERVER, jobs: [JOB], calls: [CALL], databaseChanged: true }

test('a password is asked for with or without a session, because servers of older versions send none', () => {
  const secret = { server: 'a', project: '/srv/p', id: 'x', command: 'ssh', prompt: '?', askedAt: 1, isSecret: true }
  const parse = (...secrets: readonly object[]) =>
    parseFeedMessage(JSON.stringify({ kind: 'update', update: { secrets } }))
  const known = [secret, { ...secret, session: 's' }]
  expect(parse(...known)).toEqual({ kind: 'update', update: { secrets: known } })
  expect(parse({ ...secret, session: 7 })).toEqual({ kind: 'update', update: {} })
})

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

test('a request that this version does not know is answered, one that is wrong is not', () => {
  expect(parseConsoleMessage('{"kind":"ask","id":3,"verb":"dance","job":4}')).toEqual({ kind: 'unknown', id: 3 })
  expect(parseConsoleMessage('{"kind":"ask","id":3,"verb":"constructor"}')).toEqual({ kind: 'unknown', id: 3 })
  expect(parseConsoleMessage('{"kind":"ask","verb":"dance"}')).toBeUndefined()
  expect(parseConsoleMessage('{"kind":"ask","id":3,"verb":"kill","job":"4"}')).toBeUndefined()
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

test('a job of a newer server has more members, each of which must be valid', () => {
  const parse = (more: object) =>
    parseFeedMessage(JSON.stringify({ kind: 'update', update: { jobs: [{ ...JOB, ...more }] } }))
  for (const more of [{}, NEWER, { usage: null }, { usage: 'unknown' }])
    expect(parse(more)).toEqual({ kind: 'update', update: { jobs: [{ ...JOB, ...more }] } })
  const wrong = [
    { isCommandShortened: 1 },
    { usage: 'other' },
    ...Object.keys(NEWER.usage).map((name) => ({ usage: { ...NEWER.usage, [name]: 'wrong' } })),
    { usage: { ...NEWER.usage, ports: [70_000] } },
    { usage: { ...NEWER.usage, history: [{ processorPercent: 1 }] } },
  ]
  for (const more of wrong) expect(parse(more)).toEqual({ kind: 'update', update: {} })
})

test('replies to requests about jobs', () => {
  const parse = (more: object) => parseFeedMessage(JSON.stringify({ kind: 'reply', to: 3, ...more }))
  expect(parse({ job: 4 })).toEqual({ kind: 'reply', to: 3, job: 4 })
  expect(parse({ details: { command: 'make' } })).toEqual({ kind: 'reply', to: 3, details: { command: 'make' } })
  expect(parse({ job: 'x', details: {} })).toEqual({ kind: 'reply', to: 3 })
  for (const verb of ['restart', 'job'] as const)
    expect(parseConsoleMessage(JSON.stringify({ kind: 'ask', id: 3, verb, job: 4 }))).toEqual({
      kind: 'ask',
      id: 3,
      verb,
      job: 4,
    })
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
      if (read?.kind === 'ask' && 'job' in read) expect(Number.isSafeInteger(read.job)).toBe(true)
    }),
  )
})
