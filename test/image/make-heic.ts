// Creates a HEIC image without an encoder: HEVC can contain raw pixels (PCM), and then little is left to encode.

import { box, fullBox, uint16, uint32 } from './make.js'

type Colour = readonly [y: number, cb: number, cr: number]

const BLOCK = 16

/** Two blocks wide and two high, each of one colour. */
export function heic(blocks: readonly [Colour, Colour, Colour, Colour], says = 2 * BLOCK): Buffer {
  const slice = nal(19, sliceBits(blocks))
  const item = Buffer.concat([uint32(slice.length), slice])
  const type = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'))
  const offset = type.length + meta(says, 0, item.length).length + 8
  return Buffer.concat([type, meta(says, offset, item.length), box('mdat', item)])
}

function meta(edge: number, offset: number, length: number): Buffer {
  const pieces = [Buffer.from([0x44, 0]), uint16(1), uint16(1), uint16(0), uint16(1), uint32(offset), uint32(length)]
  const entry = fullBox('infe', Buffer.concat([uint16(1), uint16(0), Buffer.from('hvc1\0')]), 2)
  const properties = Buffer.concat([configuration(), fullBox('ispe', Buffer.concat([uint32(edge), uint32(edge)]))])
  const used = fullBox('ipma', Buffer.concat([uint32(1), uint16(1), Buffer.from([2, 0x81, 0x82])]))
  const parts = [
    fullBox('hdlr', Buffer.from('\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1')),
    fullBox('pitm', uint16(1)),
    fullBox('iloc', Buffer.concat(pieces)),
    fullBox('iinf', Buffer.concat([uint16(1), entry])),
    box('iprp', Buffer.concat([box('ipco', properties), used])),
  ]
  return fullBox('meta', Buffer.concat(parts))
}

function configuration(): Buffer {
  const head = Buffer.from('0103700000009000000000005df000fcfdf8f800000f03', 'hex')
  const sets = [nal(32, videoSet()), nal(33, sequenceSet()), nal(34, pictureSet())]
  const arrays = sets.map((set, index) =>
    Buffer.concat([Buffer.from([0x80 | (32 + index)]), uint16(1), uint16(set.length), set]),
  )
  return box('hvcC', Buffer.concat([head, ...arrays]))
}

/** Main Still Picture, level 3.1. */
const PROFILE = `00000011${(0x70000000).toString(2).padStart(32, '0')}1011${'0'.repeat(44)}${bits(93, 8)}`

function videoSet(): Buffer {
  return closed(`0000110000000001${'1'.repeat(16)}${PROFILE}1${golomb(0, 0, 0)}000000${golomb(0)}00`)
}

function sequenceSet(): Buffer {
  const blocks = golomb(1, 0, 0, 2, 0, 0)
  const pcm = `1${bits(7, 4)}${bits(7, 4)}${golomb(1, 0)}1`
  const size = golomb(0, 1, 2 * BLOCK, 2 * BLOCK)
  return closed(`00000001${PROFILE}${size}0${golomb(0, 0, 0)}1${golomb(0, 0, 0)}${blocks}000${pcm}${golomb(0)}00000`)
}

function pictureSet(): Buffer {
  return closed(`${golomb(0, 0)}0000000${golomb(0, 0, 0)}000${golomb(0, 0)}000000010100${golomb(0)}00`)
}

/** The header, then for each block the PCM flag and its pixels. */
function sliceBits(blocks: readonly Colour[]): Buffer {
  const parts = [closed(`10${golomb(0, 2, 0)}`)]
  // How far the one encoded decision narrows the range each time.
  const narrowing = [240, 227, 216, 205]
  blocks.forEach(([y, cb, cr], index) => {
    const range = index === 0 ? 510 : 508
    parts.push(terminated(range - (narrowing[index] ?? 0)))
    parts.push(Buffer.alloc(256, y), Buffer.alloc(64, cb), Buffer.alloc(64, cr))
  })
  return Buffer.concat([...parts, terminated(510)])
}

/** The output of an arithmetic coder that has reached this range without output and ends there. */
function terminated(range: number): Buffer {
  let low = range - 2
  let outstanding = 0
  let isFirst = true
  let written = ''
  const put = (bit: number): void => {
    if (!isFirst) written += bit
    isFirst = false
    written += String(1 - bit).repeat(outstanding)
    outstanding = 0
  }
  for (let width = 2; width < 256; width *= 2) {
    if (low >= 512) put(1)
    else if (low < 256) put(0)
    else outstanding++
    low = (low >= 512 ? low - 512 : low < 256 ? low : low - 256) * 2
  }
  put((low >> 9) & 1)
  return bytesOf(written + bits(((low >> 7) & 3) | 1, 2))
}

function closed(text: string): Buffer {
  return bytesOf(`${text}1`)
}

function bytesOf(text: string): Buffer {
  const whole = text.padEnd(Math.ceil(text.length / 8) * 8, '0')
  return Buffer.from((whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

function bits(value: number, length: number): string {
  return value.toString(2).padStart(length, '0')
}

function golomb(...values: readonly number[]): string {
  return values.map((value) => bits(value + 1, 2 * Math.floor(Math.log2(value + 1)) + 1)).join('')
}

/** Breaks up zeros that look like the start of the next unit. */
function nal(type: number, payload: Buffer): Buffer {
  const result = [type << 1, 1]
  let zeros = 0
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      result.push(3)
      zeros = 0
    }
    result.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Buffer.from(result)
}
