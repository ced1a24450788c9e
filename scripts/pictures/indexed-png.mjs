// Makes a PNG of a screen smaller: at most 256 colours, half of them the most frequent, half those that differ most; every other
// colour becomes the nearest of these. Screens consist of flat colours and edges of letters, so the difference is not visible.

import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Eight bits per channel, with or without alpha, not interlaced, as browsers write them. */
export function indexedPng(png) {
  const { width, height, channels, data } = read(png)
  const pixels = unfiltered(inflateSync(data), width, height, channels)
  const counts = new Map()
  const colours = new Uint32Array(width * height)
  for (let at = 0; at < colours.length; at += 1) {
    const from = at * channels
    const colour = (pixels[from] << 16) | (pixels[from + 1] << 8) | pixels[from + 2]
    colours[at] = colour
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = chosen([...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)))
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = places.get(colours[y * width + x])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function read(png) {
  const data = []
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + size))
    at += size + 12
  }
  const channels = png[25] === 6 ? 4 : 3
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), channels, data: Buffer.concat(data) }
}

function unfiltered(raw, width, height, channels) {
  const size = width * channels
  const pixels = Buffer.alloc(size * height)
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (size + 1)]
    for (let x = 0; x < size; x += 1) {
      const at = y * size + x
      const left = x < channels ? 0 : pixels[at - channels]
      const up = y === 0 ? 0 : pixels[at - size]
      const corner = x < channels || y === 0 ? 0 : pixels[at - size - channels]
      pixels[at] = raw[y * (size + 1) + 1 + x] + predicted(filter, left, up, corner)
    }
  }
  return pixels
}

function predicted(filter, left, up, corner) {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter === 0) return 0
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value))
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/** The most frequent colours alone would omit a small red cross on a large grey page. */
function chosen(colours) {
  const palette = colours.slice(0, 128)
  const far = new Map(colours.slice(128).map((colour) => [colour, Math.min(...palette.map(distanceTo(colour)))]))
  while (palette.length < 256 && far.size > 0) {
    const [next] = [...far].reduce((best, entry) => (entry[1] > best[1] ? entry : best))
    palette.push(next)
    far.delete(next)
    const distance = distanceTo(next)
    for (const [colour, before] of far) far.set(colour, Math.min(before, distance(colour)))
  }
  return palette
}

function nearest(palette, colour) {
  const distances = palette.map(distanceTo(colour))
  return distances.indexOf(Math.min(...distances))
}

function distanceTo(colour) {
  return (other) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)
}

function chunk(name, content) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(content.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}
