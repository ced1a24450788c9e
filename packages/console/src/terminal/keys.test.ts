import { setTimeout as sleep } from 'node:timers/promises'

import fc from 'fast-check'
import { expect, test, vi } from 'vitest'

import { createKeyDecoder, type Key } from './keys.js'

function decode(...chunks: readonly (string | Buffer)[]): Key[] {
  const keys: Key[] = []
  const decoder = createKeyDecoder((key) => keys.push(key))
  for (const chunk of chunks) decoder.receive(Buffer.from(chunk))
  return keys
}

const names = (keys: readonly Key[]): readonly string[] => keys.map(({ name }) => name)

test('keys of one chunk are read one by one', () => {
  expect(names(decode('\u001B[B\u001B[1;2A\u001BOA\rq한 \u007F\u0017\u001B[5~\u001B[3~\u001B[Hx'))).toEqual([
    'down',
    'shift+up',
    'up',
    'enter',
    'q',
    '한',
    'space',
    'backspace',
    'ctrl+w',
    'pageup',
    'delete',
    'home',
    'x',
  ])
})

test('a key that arrives in two parts is one key, and Esc alone is Esc', async () => {
  expect(names(decode('\u001B', '[A'))).toEqual(['up'])
  const keys: Key[] = []
  createKeyDecoder((key) => keys.push(key)).receive(Buffer.from('\u001B'))
  expect(keys).toEqual([])
  await vi.waitFor(() => expect(names(keys)).toEqual(['escape']))
  expect(names(decode('\u001Bq'))).toEqual(['escape', 'q'])
})

test('pasted text is one key, whatever it contains, and is not read as keys', () => {
  expect(decode('a\u001B[200~rm -rf\nq\u001B[A', '\u0003', '\u001B[20', '1~b')).toMatchObject([
    { name: 'a' },
    { name: 'ctrl+c' },
    { name: 'paste', text: 'rm -rf\nq\u001B[A' },
    { name: 'b' },
  ])
})

test('no character is lost, however the input is split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('\u001B[A', 'x', '한', '\r', ' ', '👍', '\u001B[200~y\u001B[201~'), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (typed, size) => {
        const bytes = Buffer.from(typed.join(''))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        await sleep(0)
        expect(decode(...chunks)).toEqual(decode(typed.join('')))
        expect(decode(typed.join(''))).toHaveLength(typed.length)
      },
    ),
    { numRuns: 60 },
  )
})
