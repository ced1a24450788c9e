import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { emptyFolder } from '../../test/support/client.js'
import { openThreads, ThreadFailure, type ThreadTerms } from './thread.js'

/** Does what it is asked, and tells how often this thread was asked. */
const SCRIPT = `
const { parentPort, threadId } = require('node:worker_threads')
let count = 0
parentPort.on('message', ({ question }) => {
  console.log('noise')
  if (question.spin) for (;;);
  if (question.grow) { const all = []; for (;;) all.push(new Array(1e5).fill(question)) }
  if (question.leave) process.exit(1)
  if (question.throw) throw new Error('fell over')
  if (question.problem) parentPort.postMessage({ problem: question.problem })
  else setTimeout(() => parentPort.postMessage({ answer: { count: ++count, threadId, env: Object.keys(process.env).length } }), question.after ?? 0)
})`

function open(terms: Partial<ThreadTerms> = {}) {
  const file = join(emptyFolder(), 'thread.cjs')
  writeFileSync(file, SCRIPT)
  const threads = openThreads({ file, most: 2, timeoutMs: 20_000, idleMs: 60_000, memoryMb: 64, ...terms })
  onTestFinished(() => threads.close())
  return threads
}

const reasonOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error instanceof ThreadFailure ? error.reason : error),
  )

test('one thread answers question after question, without the environment', async () => {
  const threads = open()
  const first = await threads.ask({})
  expect(first).toMatchObject({ count: 1, env: 0 })
  expect(await threads.ask({})).toMatchObject({ ...(first as object), count: 2 })
})

test('what does not end is ended, and the next question is answered by another', async () => {
  const threads = open({ timeoutMs: 500, most: 1 })
  expect(await reasonOf(threads.ask({ spin: true }))).toBe('timeout')
  expect(await threads.ask({})).toMatchObject({ count: 1 })
})

test('what takes too much memory is ended', async () => {
  const threads = open({ memoryMb: 32 })
  expect(await reasonOf(threads.ask({ grow: 'x' }))).toBe('memory')
  expect(await threads.ask({})).toMatchObject({ count: 1 })
})

test.each([{ leave: true }, { throw: true }])('a thread that falls is replaced: %o', async (question) => {
  const threads = open()
  expect(await reasonOf(threads.ask(question))).toBe('fallen')
  expect(await threads.ask({})).toMatchObject({ count: 1 })
})

test('a problem is handed on as it is, and the thread stays', async () => {
  const threads = open()
  expect(await reasonOf(threads.ask({ problem: { failure: 'so' } }))).toEqual({ failure: 'so' })
  expect(await threads.ask({})).toMatchObject({ count: 1 })
})

test('no more threads than allowed, and everybody gets an answer', async () => {
  const threads = open({ most: 2 })
  const answers = await Promise.all(Array.from({ length: 12 }, () => threads.ask({ after: 5 })))
  const ids = new Set(answers.map((answer) => (answer as { threadId: number }).threadId))
  expect(ids.size).toBe(2)
})

test('a cancelled question ends at once, waiting or being worked on', async () => {
  const threads = open({ most: 1 })
  const [running, waiting] = [new AbortController(), new AbortController()]
  const asked = [threads.ask({ spin: true }, running.signal), threads.ask({ spin: true }, waiting.signal)].map(reasonOf)
  waiting.abort(new Error('not wanted'))
  running.abort(new Error('no more'))
  expect(await Promise.all(asked)).toEqual([new Error('no more'), new Error('not wanted')])
  expect(await reasonOf(threads.ask({}, AbortSignal.abort(new Error('never'))))).toEqual(new Error('never'))
  expect(await threads.ask({})).toMatchObject({ count: 1 })
})

test('closing ends everything', async () => {
  const threads = open({ most: 1 })
  const asked = [threads.ask({ spin: true }), threads.ask({})].map(reasonOf)
  await threads.close()
  expect(await Promise.all(asked)).toEqual(['closed', 'closed'])
  expect(await reasonOf(threads.ask({}))).toBe('closed')
})

test('an idle thread is let go', async () => {
  const threads = open({ idleMs: 20 })
  const first = await threads.ask({})
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await threads.ask({})).not.toMatchObject(first as object)
})
