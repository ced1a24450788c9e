// Encodes pixels as uncompressed PNG and decodes a region of a PNG, to exchange pixels with Bun.Image, which handles only
// files. Decoded input must have four 8-bit channels without interlacing. Used by the encoder and the decoder for Bun.Image
// in the image worker. No I/O.

import { once } from 'node:events'
import { crc32, createInflate, deflateSync } from 'node:zlib'

import type { Rectangle, Size } from './geometry.js'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const CHANNELS = 4

export interface Pixels extends Size {
  readonly data: Buffer
  /** RGB, or RGBA with four channels. */
  readonly channels: 3 | 4
}

export function encodePng({ data, width, height, channels }: Pixels): Buffer {
  const row = width * channels
  const rows = Buffer.alloc((row + 1) * height)
  for (let y = 0; y < height; y++) data.copy(rows, y * (row + 1) + 1, y * row, (y + 1) * row)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = channels === 4 ? 6 : 2
  const compressed = deflateSync(rows, { level: 0 })
  return Buffer.concat([
    SIGNATURE,
    createChunk('IHDR', header),
    createChunk('IDAT', compressed),
    createChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Decodes one region; only that region is held as pixels. */
export async function decodePngRegion(png: Buffer, region: Rectangle): Promise<Buffer> {
  const width = png.readUInt32BE(16)
  if (png[24] !== 8 || png[25] !== 6 || png[28] !== 0) throw new Error('unexpected PNG format')
  const pixels = Buffer.allocUnsafe(region.width * region.height * CHANNELS)
  const rowBytes = 1 + width * CHANNELS
  let previousRow = Buffer.alloc(rowBytes)
  let row = Buffer.alloc(rowBytes)
  let filled = 0
  let y = 0

  function finishRow(): void {
    unfilter(row, previousRow)
    if (y >= region.y && y < region.y + region.height) {
      const from = 1 + region.x * CHANNELS
      row.copy(pixels, (y - region.y) * region.width * CHANNELS, from, from + region.width * CHANNELS)
    }
    y++
    filled = 0
    ;[previousRow, row] = [row, previousRow]
  }

  const inflate = createInflate()
  inflate.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length;) {
      const count = bytes.copy(row, filled, at, at + rowBytes - filled)
      at += count
      filled += count
      if (filled === rowBytes) finishRow()
    }
  })
  const ended = once(inflate, 'end')
  for (const content of readImageData(png)) if (!inflate.write(content)) await once(inflate, 'drain')
  inflate.end()
  await ended
  if (y < region.y + region.height) throw new Error('the PNG is truncated')
  return pixels
}

function createChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(content.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

function* readImageData(png: Buffer): Generator<Buffer> {
  for (let at = SIGNATURE.length; at + 8 <= png.length;) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') yield png.subarray(at + 8, at + 8 + length)
    at += length + 12
  }
}

/** Reverses the filter named in the first byte of the row. */
function unfilter(row: Buffer, previousRow: Buffer): void {
  const filter = row[0] ?? 0
  if (filter === 0) return
  for (let at = 1; at < row.length; at++) {
    const left = at > CHANNELS ? (row[at - CHANNELS] ?? 0) : 0
    const up = previousRow[at] ?? 0
    const upperLeft = at > CHANNELS ? (previousRow[at - CHANNELS] ?? 0) : 0
    row[at] = ((row[at] ?? 0) + predict(filter, left, up, upperLeft)) & 0xff
  }
}

function predict(filter: number, left: number, up: number, upperLeft: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const estimate = left + up - upperLeft
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - upperLeft)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : upperLeft
}
