import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { emptyFolder } from '../../../../test/support/client.js'
import { eventually } from '../../../../test/support/eventually.js'
import { openWorkerThreadPool, WorkerThreadError, type WorkerThreadOptions } from './worker-threads.js'

/** Does what the request says, and returns how many requests this thread has had. */
const SCRIPT = `
const { parentPort, threadId } = require('node:worker_threads')
let count = 0
parentPort.on('message', ({ question }) => {
  console.log('noise')
  if (question.spin) for (;;);
  // Without processor time, as while other programs have it.
  if (question.pause) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, question.pause)
  if (question.grow) { const all = []; for (;;) all.push(new Array(1e5).fill(question)) }
  if (question.leave) process.exit(1)
  if (question.throw) throw new Error('fell over')
  if (question.problem) parentPort.postMessage({ problem: question.problem })
  else setTimeout(() => parentPort.postMessage({ answer: { count: ++count, threadId, env: Object.keys(process.env).length } }), question.after ?? 0)
})`

function open(options: Partial<WorkerThreadOptions> = {}) {
  const file = join(emptyFolder(), 'thread.cjs')
  writeFileSync(file, SCRIPT)
  const threads = openWorkerThreadPool({
    file,
    maxThreads: 2,
    timeoutMs: 20_000,
    idleMs: 60_000,
    memoryMb: 64,
    ...options,
  })
  onTestFinished(() => threads.close())
  return threads
}

const reasonOf = (request: Promise<unknown>) =>
  request.then(
    () => 'answered',
    (error: unknown) => (error instanceof WorkerThreadError ? error.reason : error),
  )

test('one thread handles many requests, without the environment', async () => {
  const threads = open()
  const first = await threads.run({})
  expect(first).toMatchObject({ count: 1, env: 0 })
  expect(await threads.run({})).toMatchObject({ ...(first as object), count: 2 })
})

test('a request that times out terminates its thread, and another thread handles the next', async () => {
  const threads = open({ timeoutMs: 500, maxThreads: 1 })
  expect(await reasonOf(threads.run({ spin: true }))).toBe('timeout')
  // On a busy machine the start of a thread alone may take that long.
  expect(await eventually(() => threads.run({}).catch(() => undefined))).toMatchObject({ count: 1 })
})

test('time in which other programs have the processor does not count, up to a limit', async () => {
  const threads = open({ timeoutMs: 200, maxThreads: 1 })
  // Starting a thread takes processor time itself.
  await eventually(() => threads.run({}).catch(() => undefined))
  expect(await threads.run({ pause: 600 })).toMatchObject({ threadId: expect.any(Number) })
  expect(await reasonOf(threads.run({ pause: 60_000 }))).toBe('timeout')
})

test('a thread that takes too much memory is terminated', async () => {
  const threads = open({ memoryMb: 32 })
  expect(await reasonOf(threads.run({ grow: 'x' }))).toBe('memory')
  expect(await threads.run({})).toMatchObject({ count: 1 })
})

test.each([{ leave: true }, { throw: true }])('a thread that crashes is replaced: %o', async (request) => {
  const threads = open()
  expect(await reasonOf(threads.run(request))).toBe('crashed')
  expect(await threads.run({})).toMatchObject({ count: 1 })
})

test('a problem is passed on unchanged, and the thread is kept', async () => {
  const threads = open()
  expect(await reasonOf(threads.run({ problem: { failure: 'so' } }))).toEqual({ failure: 'so' })
  expect(await threads.run({})).toMatchObject({ count: 1 })
})

test('at most maxThreads threads handle all requests', async () => {
  const threads = open({ maxThreads: 2 })
  const answers = await Promise.all(Array.from({ length: 12 }, () => threads.run({ after: 5 })))
  const ids = new Set(answers.map((answer) => (answer as { threadId: number }).threadId))
  expect([...ids]).toHaveLength(2)
})

test('a cancelled request ends at once, queued or running', async () => {
  const threads = open({ maxThreads: 1 })
  const [running, waiting] = [new AbortController(), new AbortController()]
  const request = [threads.run({ spin: true }, running.signal), threads.run({ spin: true }, waiting.signal)].map(
    reasonOf,
  )
  waiting.abort(new Error('not wanted'))
  running.abort(new Error('no more'))
  expect(await Promise.all(request)).toEqual([new Error('no more'), new Error('not wanted')])
  expect(await reasonOf(threads.run({}, AbortSignal.abort(new Error('never'))))).toEqual(new Error('never'))
  expect(await threads.run({})).toMatchObject({ count: 1 })
})

test('closing terminates all threads', async () => {
  const threads = open({ maxThreads: 1 })
  const request = [threads.run({ spin: true }), threads.run({})].map(reasonOf)
  await threads.close()
  expect(await Promise.all(request)).toEqual(['closed', 'closed'])
  expect(await reasonOf(threads.run({}))).toBe('closed')
})

test('an idle thread is terminated', async () => {
  const threads = open({ idleMs: 1 })
  const first = (await threads.run({})) as { threadId: number }
  // A request that comes before the end of the idle time is handled by the same thread.
  await eventually(
    () => threads.run({}) as Promise<{ threadId: number }>,
    ({ threadId }) => threadId > first.threadId,
  )
})
