import { expect, test } from 'vitest'

import { createCallLog } from '@scorpiox/mcp/server/call-log'
import type { CallHistory } from './call-history.js'
import { createCallRecorder } from './call-recorder.js'
import { createDeferredCallRecorder } from './deferred-call-recorder.js'
import { redactTokens } from './redact-tokens.js'

const OFF: CallHistory = {
  isKept: false,
  append: () => Promise.resolve(),
  list: () => Promise.resolve({ calls: [], next: undefined }),
  find: () => Promise.resolve(undefined),
  appendJobs: () => Promise.resolve(),
  listJobs: () => Promise.resolve([]),
  close: () => Promise.resolve(),
}

test('a call whose details did not fit has neither arguments nor a result, and says that some are missing', async () => {
  const callLog = createCallLog()
  const source = { server: '00000000000000aa', project: '/srv/p', secrets: [], redactTokens }
  const log = { error() {}, warn() {}, info() {}, debug() {} }
  const recorder = createCallRecorder({ history: OFF, log, sourceFor: () => source })
  const deferred = createDeferredCallRecorder(
    callLog,
    () => Promise.resolve(recorder),
    () => expect.unreachable(),
  )
  const caller = { user: 'ann', session: 's' }
  const started = { tool: 'Bash', input: { command: 'echo' }, client: { name: '', version: '' } }
  // More than the queue holds.
  const answer = 'x'.repeat(33 * 1024 * 1024)
  callLog.onStart(caller, started)
  callLog.onEnd(caller, { ...started, outcome: 'ok', ms: 1, answer }, started)
  const opened = await deferred.open()
  expect(opened.find('ann', '00000000000000aa.00000001')).toMatchObject({ input: '', inputOmitted: 1, blocks: [] })
  await deferred.close()
})

test.each([
  ['many texts', Array.from({ length: 60 }, () => 'x'.repeat(270_000))],
  ['very many texts', Array.from({ length: 50_000 }, () => 'x'.repeat(300))],
  ['long names', Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}${'x'.repeat(400_000)}`, 0]))],
])('arguments with %s count as large as they are while they wait', async (_name, value) => {
  const callLog = createCallLog()
  let waiting = 0
  const deferred = createDeferredCallRecorder(
    callLog,
    () =>
      Promise.resolve({
        record: async (calls) => void (waiting = calls.filter(({ hasLostDetails }) => !hasLostDetails).length),
        find: () => undefined,
        search: () => [],
        close: () => Promise.resolve(),
      }),
    () => expect.unreachable(),
  )
  const caller = { user: 'ann', session: 's' }
  for (let count = 0; count < 200; count++) {
    const started = { tool: 'Bash', input: { value }, client: { name: '', version: '' } }
    callLog.onStart(caller, started)
    callLog.onEnd(caller, { ...started, outcome: 'ok', ms: 1, answer: '' }, started)
  }
  await deferred.open()
  // Of 15 M characters each.
  expect(waiting).toBeLessThan(6)
  await deferred.close()
})
