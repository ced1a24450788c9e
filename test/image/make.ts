// Builds image files byte by byte, so that their headers can be wrong.

import { crc32, deflateSync } from 'node:zlib'

export interface PngParts {
  readonly width: number
  readonly height: number
  readonly depth?: number
  /** 0 grey, 2 colours, 3 palette, 6 colours and opacity. */
  readonly colour?: number
  readonly interlaced?: boolean
  readonly data?: Buffer
  /** Chunks before the data. */
  readonly extra?: readonly Buffer[]
}

export function png({ width, height, depth = 8, colour = 2, interlaced = false, data, extra = [] }: PngParts): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width >>> 0, 0)
  header.writeUInt32BE(height >>> 0, 4)
  header.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8)
  const pixels = deflateSync(data ?? Buffer.alloc(64))
  const chunks = [chunk('IHDR', header), ...extra, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))])
}

/** Zeros that compress to a thousandth of their length. */
export function packedZeros(bytes: number): Buffer {
  return deflateSync(Buffer.alloc(bytes), { level: 9 })
}

export function gif(width: number, height: number, frames = 1, edge = 1): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\xff\0\0\0\0\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.from('!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0', 'latin1')
  frame.writeUInt16LE(edge, 13)
  frame.writeUInt16LE(edge, 15)
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

/** The header contains another size. */
export function jpegSaying(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg)
  const at = [0xc0, 0xc2].map((marker) => copy.indexOf(Buffer.from([0xff, marker]))).find((found) => found > 0) ?? 0
  copy.writeUInt16BE(height, at + 5)
  copy.writeUInt16BE(width, at + 7)
  return copy
}

export interface Tag {
  readonly tag: number
  readonly type?: number
  readonly count?: number
  readonly value: number
}

/** One directory; `next` is the offset of the following one. */
export function tiff(tags: readonly Tag[], next = 0, data = Buffer.alloc(64)): Buffer {
  const entries = tags.map(({ tag, type = 4, count = 1, value }) => {
    const entry = Buffer.alloc(12)
    entry.writeUInt16LE(tag, 0)
    entry.writeUInt16LE(type, 2)
    entry.writeUInt32LE(count, 4)
    entry.writeUInt32LE(value >>> 0, 8)
    return entry
  })
  const count = Buffer.alloc(2)
  count.writeUInt16LE(tags.length)
  const end = Buffer.alloc(4)
  end.writeUInt32LE(next)
  return Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), count, ...entries, end, data])
}

export function tiffTags(width: number, height: number, offset = 122): readonly Tag[] {
  return [
    { tag: 256, value: width },
    { tag: 257, value: height },
    { tag: 258, value: 8 },
    { tag: 259, value: 1 },
    { tag: 262, value: 1 },
    { tag: 273, value: offset },
    { tag: 277, value: 1 },
    { tag: 278, value: height },
    { tag: 279, value: width * height },
  ]
}

export function svg(inside: string, attributes = 'width="40" height="30"'): Buffer {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`)
}

/** Pages with the given content; `page` is added to each of them. */
export function pdf(contents: readonly string[], page = '/MediaBox[0 0 300 200]'): Buffer {
  const kids = contents.map((_, index) => `${10 + 2 * index} 0 R`)
  const pages = contents.map((text, index) => {
    const number = 10 + 2 * index
    const resources = '/Resources<</Font<</F 5 0 R>>>>'
    return (
      `${number} 0 obj<</Type/Page/Parent 2 0 R/Contents ${number + 1} 0 R${resources}${page}>>endobj\n` +
      `${number + 1} 0 obj<</Length ${text.length}>>stream\n${text}\nendstream endobj\n`
    )
  })
  return Buffer.from(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n' +
      `2 0 obj<</Type/Pages/Kids[${kids.join(' ')}]/Count ${contents.length}>>endobj\n` +
      `5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n${pages.join('')}trailer<</Root 1 0 R>>\n`,
    'latin1',
  )
}

export function box(type: string, body: Buffer): Buffer {
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type, 'latin1'), body])
}

export function fullBox(type: string, body: Buffer, version = 0): Buffer {
  return box(type, Buffer.concat([Buffer.from([version, 0, 0, 0]), body]))
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
