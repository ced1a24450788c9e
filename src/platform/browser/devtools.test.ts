import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Failure } from '../../lib/failure.js'
import { createDevtools, Refusal } from './devtools.js'

function open(maxMessage?: number) {
  const written: { id: number; method: string; sessionId?: string }[] = []
  const devtools = createDevtools((text) => written.push(JSON.parse(text.slice(0, -1))), maxMessage)
  const say = (...messages: object[]): void =>
    devtools.hear(Buffer.from(messages.map((message) => `${JSON.stringify(message)}\0`).join('')))
  return { devtools, written, say }
}

test('however messages are cut, each is heard once and in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary' })),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (texts, sizes) => {
        const { devtools } = open()
        const heard: unknown[] = []
        devtools.session('a').on('Said', ({ text }) => heard.push(text))
        const message = (text: string) => `${JSON.stringify({ method: 'Said', params: { text }, sessionId: 'a' })}\0`
        let rest = Buffer.from(texts.map((text) => message(text)).join(''))
        for (const size of sizes) {
          devtools.hear(rest.subarray(0, size))
          rest = rest.subarray(size)
          if (rest.length === 0) break
        }
        expect(heard).toEqual(texts.map((text) => JSON.parse(JSON.stringify(text))))
      },
    ),
    { numRuns: 50 },
  )
})

test('answers find who asked, in whatever order they come', async () => {
  const { devtools, written, say } = open()
  const asked = [devtools.root.ask('A'), devtools.session('s').ask('B'), devtools.root.ask('C')]
  const [a, b, c] = written.map(({ id }) => id)
  say(
    { id: c, result: { is: 'c' } },
    { id: 999, result: {} },
    { id: a, result: { is: 'a' } },
    { id: b, result: { is: 'b' } },
  )
  expect(await Promise.all(asked)).toEqual([{ is: 'a' }, { is: 'b' }, { is: 'c' }])
  expect(written.map(({ sessionId }) => sessionId)).toEqual([undefined, 's', undefined])
})

test('what is refused, ended or closed is told to those who wait and to those who come later', async () => {
  const { devtools, written, say } = open()
  const page = devtools.session('s')
  const [refused, left, other] = [page.ask('A'), page.ask('B'), devtools.root.ask('C')]
  say({ id: written[0]?.id, error: { message: 'no such thing' } })
  await expect(refused).rejects.toThrow(new Refusal('A: no such thing'))
  const heard: string[] = []
  page.on('Said', () => heard.push('page'))
  devtools.session('st').on('Said', () => heard.push('other'))
  page.end('it crashed')
  say({ method: 'Said', sessionId: 's' }, { method: 'Said', sessionId: 'st' })
  expect(heard).toEqual(['other'])
  await expect(left).rejects.toThrow(new Failure('it crashed'))
  await expect(page.ask('D')).rejects.toThrow('it crashed')
  devtools.end('the browser has ended')
  await expect(other).rejects.toThrow('the browser has ended')
  await expect(devtools.root.ask('E')).rejects.toThrow('the browser has ended')
})

test('nobody hears what another session was told, or what he stopped listening to', () => {
  const { devtools, say } = open()
  const heard: string[] = []
  const stop = devtools.session('a').on('Said', () => heard.push('a'))
  devtools.session('b').on('Said', () => heard.push('b'))
  devtools.root.on('Said', () => heard.push('root'))
  say({ method: 'Said', sessionId: 'a' }, { method: 'Said' }, { method: 'Other', sessionId: 'b' })
  stop()
  say({ method: 'Said', sessionId: 'a' })
  expect(heard).toEqual(['a', 'root'])
})

test('what is too long or no JSON is passed over, and what follows is heard', () => {
  const { devtools, say } = open(100)
  const heard: unknown[] = []
  devtools.root.on('Said', ({ text }) => heard.push(text))
  for (let part = 0; part < 50; part++) devtools.hear(Buffer.alloc(50, 'x'))
  devtools.hear(Buffer.from('\0not JSON\0[]\0null\0{"id":"x"}\0\0'))
  say({ method: 'Said', params: { text: 'hello' } })
  expect(heard).toEqual(['hello'])
})
