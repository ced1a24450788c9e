import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { createDevtoolsConnection, DevtoolsError } from './devtools.js'

function open(maxMessage?: number) {
  const written: { id: number; method: string; sessionId?: string }[] = []
  const devtools = createDevtoolsConnection((text) => written.push(JSON.parse(text.slice(0, -1))), maxMessage)
  const say = (...messages: object[]): void =>
    devtools.receive(Buffer.from(messages.map((message) => `${JSON.stringify(message)}\0`).join('')))
  return { devtools, written, say }
}

test('however messages are split, each is received once and in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary' })),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (texts, sizes) => {
        const { devtools } = open()
        const received: unknown[] = []
        devtools.session('a').on('Test.event', ({ text }) => received.push(text))
        const message = (text: string) =>
          `${JSON.stringify({ method: 'Test.event', params: { text }, sessionId: 'a' })}\0`
        let rest = Buffer.from(texts.map((text) => message(text)).join(''))
        for (const size of sizes) {
          devtools.receive(rest.subarray(0, size))
          rest = rest.subarray(size)
          if (rest.length === 0) break
        }
        expect(received).toEqual(texts.map((text) => JSON.parse(JSON.stringify(text))))
      },
    ),
    { numRuns: 50 },
  )
})

test('replies are matched to their requests in any order', async () => {
  const { devtools, written, say } = open()
  const asked = [devtools.root.send('A'), devtools.session('s').send('B'), devtools.root.send('C')]
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

test('errors and closing reject pending and later requests', async () => {
  const { devtools, written, say } = open()
  const page = devtools.session('s')
  const [refused, left, other] = [page.send('A'), page.send('B'), devtools.root.send('C')]
  say({ id: written[0]?.id, error: { message: 'no such thing' } })
  await expect(refused).rejects.toThrow(new DevtoolsError('A: no such thing'))
  const received: string[] = []
  page.on('Test.event', () => received.push('page'))
  devtools.session('st').on('Test.event', () => received.push('other'))
  page.close('it crashed')
  say({ method: 'Test.event', sessionId: 's' }, { method: 'Test.event', sessionId: 'st' })
  expect(received).toEqual(['other'])
  await expect(left).rejects.toThrow(new Failure('it crashed'))
  await expect(page.send('D')).rejects.toThrow('it crashed')
  devtools.close('the browser has exited')
  await expect(other).rejects.toThrow('the browser has exited')
  await expect(devtools.root.send('E')).rejects.toThrow('the browser has exited')
})

test('a listener receives only events of its session, until it is removed', () => {
  const { devtools, say } = open()
  const received: string[] = []
  const removeListener = devtools.session('a').on('Test.event', () => received.push('a'))
  devtools.session('b').on('Test.event', () => received.push('b'))
  devtools.root.on('Test.event', () => received.push('root'))
  say({ method: 'Test.event', sessionId: 'a' }, { method: 'Test.event' }, { method: 'Other', sessionId: 'b' })
  removeListener()
  say({ method: 'Test.event', sessionId: 'a' })
  expect(received).toEqual(['a', 'root'])
})

test('messages that are too long or not JSON are skipped', () => {
  const { devtools, say } = open(100)
  const received: unknown[] = []
  devtools.root.on('Test.event', ({ text }) => received.push(text))
  for (let part = 0; part < 50; part++) devtools.receive(Buffer.alloc(50, 'x'))
  devtools.receive(Buffer.from('\0not JSON\0[]\0null\0{"id":"x"}\0\0'))
  say({ method: 'Test.event', params: { text: 'hello' } })
  expect(received).toEqual(['hello'])
})
