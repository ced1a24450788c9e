import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { createSecretRedactor, redactWhole } from './secret-redactor.js'

function collect(...secrets: readonly string[]) {
  const output: Buffer[] = []
  const values = secrets.map((secret) => Buffer.from(secret))
  const redactor = createSecretRedactor(
    () => values,
    (bytes) => void output.push(bytes),
  )
  return { ...redactor, values, text: () => Buffer.concat(output).toString(), chunks: output }
}

test('without secrets a chunk is passed on as it is', () => {
  const { write, chunks } = collect()
  const chunk = Buffer.from('anything')
  write(chunk)
  expect(chunks).toEqual([chunk])
  expect(chunks[0]).toBe(chunk)
})

test.each([
  ['in the middle', 'a hunter2 b', 'a [secret] b'],
  ['twice', 'hunter2hunter2', '[secret][secret]'],
  ['after its own beginning', 'huhunter2', 'hu[secret]'],
  ['not there', 'hunt for it', 'hunt for it'],
  ['only its beginning at the end', 'a hunter', 'a hunter'],
  ['a longer one that begins alike', 'hunter2000 hunter2', '[secret] [secret]'],
  ['a shorter one inside of a longer one', 'xhunter2x xhunter2y', '[secret] x[secret]y'],
  ['beside bytes that are not UTF-8', 'é한hunter2국', 'é한[secret]국'],
])('a secret %s, split anywhere', (_, text, expected) => {
  const bytes = Buffer.from(text)
  for (let size = 1; size <= bytes.length; size++) {
    const stream = collect('hunter2', 'hunter2000', 'xhunter2x')
    for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size))
    stream.end()
    expect(stream.text()).toBe(expected)
  }
})

test('a secret that becomes known between two chunks', () => {
  const stream = collect()
  stream.write(Buffer.from('one hunter2 '))
  stream.values.push(Buffer.from('hunter2'))
  stream.write(Buffer.from('two hunter2 '))
  stream.end()
  expect(stream.text()).toBe('one hunter2 two [secret] ')
})

test('only the beginning of a secret is held back, and only for a moment', async () => {
  const stream = collect('$ecret-1')
  stream.write(Buffer.from('prompt $'))
  expect(stream.text()).toBe('prompt ')
  while (stream.text() === 'prompt ') await sleep(10)
  expect(stream.text()).toBe('prompt $')
  stream.write(Buffer.from('ecret-1 end'))
  // What was shown cannot be taken back; the rest is replaced.
  expect(stream.text()).toBe('prompt $[secret] end')
})

test('random texts, split at random, never contain a secret', () => {
  const secrets = ['abab', 'aabb', 'ababab', 'bbbb']
  for (let round = 0; round < 2000; round++) {
    const text = Buffer.from(Array.from({ length: 40 }, () => 'ab '[Math.floor(Math.random() * 3)]).join(''))
    const whole = collect(...secrets)
    whole.write(text)
    whole.end()
    const split = collect(...secrets)
    for (let at = 0; at < text.length;) {
      const size = 1 + Math.floor(Math.random() * 5)
      split.write(text.subarray(at, (at += size)))
    }
    split.end()
    for (const secret of secrets) expect(split.text()).not.toContain(secret)
    expect(split.text()).toBe(whole.text())
  }
})

test('takes time in proportion to the text, also with many secrets of which one occurs very often', () => {
  const secrets = ['aaaa', ...Array.from({ length: 63 }, (_, index) => `zz${index}${index}`)]
  const startedAt = performance.now()
  const redacted = redactWhole(
    Buffer.from('aaaa '.repeat(40_000)),
    secrets.map((secret) => Buffer.from(secret)),
  )
  expect(redacted.toString()).toBe('[secret] '.repeat(40_000))
  // Some 50 ms; it was 7 s.
  expect(performance.now() - startedAt).toBeLessThan(2000)
})
