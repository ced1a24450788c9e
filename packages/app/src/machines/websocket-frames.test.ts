// Frames of a forwarded WebSocket: the boundaries are found however the bytes arrive, and the close frame is one that a
// client understands.

import { expect, test } from 'vitest'

import { createCloseFrame, ServerFrames } from './websocket-frames.js'

function frame(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.concat([Buffer.from([0x80 | opcode, length]), Buffer.alloc(length, 'x')])
  const header = Buffer.alloc(length < 65_536 ? 4 : 10)
  header[0] = 0x80 | opcode
  header[1] = length < 65_536 ? 126 : 127
  if (length < 65_536) header.writeUInt16BE(length, 2)
  else header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, Buffer.alloc(length, 'x')])
}

test.each([1, 2, 3, 7, 4096, 1_000_000])('boundaries are found in chunks of %i bytes', (size) => {
  const lengths = [0, 5, 125, 126, 300, 70_000, 1]
  const ends = new Set<number>()
  let all = Buffer.alloc(0)
  for (const length of lengths) {
    all = Buffer.concat([all, frame(1, length)])
    ends.add(all.length)
  }
  const frames = new ServerFrames()
  const wrong: number[] = []
  for (let at = 0; at < all.length; at += size) {
    frames.push(all.subarray(at, at + size))
    if (frames.isBetweenFrames !== ends.has(Math.min(at + size, all.length))) wrong.push(at)
  }
  expect([wrong, frames.isClosed]).toEqual([[], false])
  frames.push(frame(8, 2))
  expect(frames.isClosed).toBe(true)
})

test('a close frame has the code for a restart and a reason of at most 123 bytes', () => {
  const closing = createCloseFrame('r'.repeat(300))
  expect([closing[0], closing[1], closing.readUInt16BE(2), closing.length]).toEqual([0x88, 125, 1012, 127])
})
