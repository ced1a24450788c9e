// Pixels as a PNG that is not compressed: the way in which they are handed to, and taken from, a library that knows only
// files. What is read must have four channels of eight bits, without interlacing.

import { once } from 'node:events'
import { createInflate, crc32, deflateSync } from 'node:zlib'

import type { Rectangle, Size } from './rectangle.js'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const CHANNELS = 4

export interface Pixels extends Size {
  readonly data: Buffer
  /** Red, green, blue, and opacity where there is a fourth. */
  readonly channels: 3 | 4
}

export function pngOf({ data, width, height, channels }: Pixels): Buffer {
  const row = width * channels
  const rows = Buffer.alloc((row + 1) * height)
  for (let y = 0; y < height; y++) data.copy(rows, y * (row + 1) + 1, y * row, (y + 1) * row)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = channels === 4 ? 6 : 2
  const compressed = deflateSync(rows, { level: 0 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', compressed), chunk('IEND', Buffer.alloc(0))])
}

/** Of that part of it; only the part is ever held as pixels. */
export async function pixelsIn(png: Buffer, part: Rectangle): Promise<Buffer> {
  const width = png.readUInt32BE(16)
  if (png[24] !== 8 || png[25] !== 6 || png[28] !== 0) throw new Error('not the kind of PNG that was expected')
  const taken = Buffer.allocUnsafe(part.width * part.height * CHANNELS)
  const rowBytes = 1 + width * CHANNELS
  let above = Buffer.alloc(rowBytes)
  let row = Buffer.alloc(rowBytes)
  let filled = 0
  let y = 0

  function take(): void {
    unfilter(row, above)
    if (y >= part.y && y < part.y + part.height) {
      const from = 1 + part.x * CHANNELS
      row.copy(taken, (y - part.y) * part.width * CHANNELS, from, from + part.width * CHANNELS)
    }
    y++
    filled = 0
    ;[above, row] = [row, above]
  }

  const inflate = createInflate()
  inflate.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length;) {
      const count = bytes.copy(row, filled, at, at + rowBytes - filled)
      at += count
      filled += count
      if (filled === rowBytes) take()
    }
  })
  const ended = once(inflate, 'end')
  for (const content of dataIn(png)) if (!inflate.write(content)) await once(inflate, 'drain')
  inflate.end()
  await ended
  if (y < part.y + part.height) throw new Error('the PNG ends too soon')
  return taken
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(content.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

function* dataIn(png: Buffer): Generator<Buffer> {
  for (let at = SIGNATURE.length; at + 8 <= png.length;) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') yield png.subarray(at + 8, at + 8 + length)
    at += length + 12
  }
}

/** Each row says in its first byte from which neighbours its bytes differ by what is stored. */
function unfilter(row: Buffer, above: Buffer): void {
  const filter = row[0] ?? 0
  if (filter === 0) return
  for (let at = 1; at < row.length; at++) {
    const left = at > CHANNELS ? (row[at - CHANNELS] ?? 0) : 0
    const up = above[at] ?? 0
    const corner = at > CHANNELS ? (above[at - CHANNELS] ?? 0) : 0
    row[at] = ((row[at] ?? 0) + predicted(filter, left, up, corner)) & 0xff
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
