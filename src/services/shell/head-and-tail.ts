// Truncates a text of any length to a number of characters: its head and its tail, cut at line ends unless the lines
// are too long, and between them one line that says exactly how much is omitted. Long lines are clipped.

import { boundary, clipLine, grouped } from '../../lib/clip-line.js'
import type { Survey } from '../../lib/screen/survey.js'
import { createPieces } from './pieces.js'

const HEAD_SHARE = 0.4

export interface Shown {
  readonly text: string
  /** Omitted: UTF-16 units, line ends and UTF-8 bytes. */
  readonly omittedCharacters: number
  readonly omittedLines: number
  readonly omittedBytes: number
}

export interface HeadAndTail {
  /** Adds complete characters and their measured size. */
  add(bytes: Buffer, measured: Survey): void
  /** Bytes were lost here: the counts become lower bounds. */
  skip(): void
  /** The truncated text as if `rest` had been added. */
  show(rest: Buffer, measured: Survey): Shown
  /** Bytes held in memory. */
  retained(): number
}

export function createHeadAndTail(maxCharacters: number, maxLine: number): HeadAndTail {
  const maxHead = Math.floor(maxCharacters * HEAD_SHARE)
  const maxTail = maxCharacters - maxHead
  const head = createPieces()
  const tail = createPieces()
  let dropped = 0
  let isComplete = true
  let total: Size = { characters: 0, lines: 0, bytes: 0 }

  function add(bytes: Buffer, measured: Survey): void {
    total = sum(total, measured, bytes.length)
    const forHead = bytes.subarray(0, Math.max(bytesFor(maxHead) - head.bytes(), 0))
    if (forHead.length > 0) head.add(forHead)
    if (forHead.length === bytes.length) return
    tail.add(bytes.subarray(forHead.length))
    dropped += tail.keepLast(bytesFor(maxTail))
  }

  function show(rest: Buffer, measured: Survey): Shown {
    const first = Buffer.concat(dropped > 0 ? head.all() : [...head.all(), ...tail.all(), rest])
    const last = dropped > 0 ? Buffer.concat([...tail.all(), rest]) : first
    const all = sum(total, measured, rest.length)
    if (all.characters <= maxCharacters) return withClippedLines(first.toString(), maxLine)
    const headText = headOf(first.toString('utf8', 0, bytesFor(maxHead)), maxHead, maxLine)
    const tailText = tailOf(last.toString('utf8', Math.max(last.length - bytesFor(maxTail), 0)), maxTail, maxLine)
    const gap = {
      omittedCharacters: all.characters - headText.length - tailText.length,
      omittedLines: all.lines - lineEnds(headText) - lineEnds(tailText),
      omittedBytes: all.bytes - Buffer.byteLength(headText) - Buffer.byteLength(tailText),
    }
    const separator = headText === '' || headText.endsWith('\n') ? '' : '\n'
    const [clippedHead, clippedTail] = [withClippedLines(headText, maxLine), withClippedLines(tailText, maxLine)]
    return {
      text: `${clippedHead.text}${separator}[${isComplete ? '' : 'at least '}${amountOf(gap)} left out here]\n${clippedTail.text}`,
      omittedCharacters: gap.omittedCharacters + clippedHead.omittedCharacters + clippedTail.omittedCharacters,
      omittedLines: gap.omittedLines,
      omittedBytes: gap.omittedBytes + clippedHead.omittedBytes + clippedTail.omittedBytes,
    }
  }

  return {
    add,
    skip: () => void (isComplete = false),
    show,
    retained: () => head.bytes() + tail.bytes(),
  }
}

interface Size {
  readonly characters: number
  readonly lines: number
  readonly bytes: number
}

function sum(size: Size, { characters, lines }: Survey, bytes: number): Size {
  return { characters: size.characters + characters, lines: size.lines + lines, bytes: size.bytes + bytes }
}

/** Upper bound: at most three bytes for each UTF-16 unit, and one more character that is cut. */
function bytesFor(characters: number): number {
  return characters * 3 + 3
}

/** A line that is cut keeps half of the maximum line length. */
function headOf(text: string, max: number, maxLine: number): string {
  const lines = text.lastIndexOf('\n', max - 1) + 1
  if (max > 0 && lines > max / 2) return text.slice(0, lines)
  return text.slice(0, boundary(text, Math.min(max, lines + Math.floor(maxLine / 2))))
}

function tailOf(text: string, max: number, maxLine: number): string {
  const from = Math.max(text.length - max, 0)
  const lines = from === 0 ? 0 : text.indexOf('\n', from - 1) + 1
  if (lines > 0 && text.length - lines > max / 2) return text.slice(lines)
  const lineEnd = lines > 0 ? lines - 1 : text.length
  return text.slice(boundaryAfter(text, Math.max(from, lineEnd - Math.floor(maxLine / 2))))
}

function boundaryAfter(text: string, at: number): number {
  return boundary(text, at) === at ? at : at + 1
}

function withClippedLines(text: string, maxLine: number): Shown {
  let omittedCharacters = 0
  let omittedBytes = 0
  if (text.length <= maxLine) return { text, omittedCharacters, omittedLines: 0, omittedBytes }
  const lines = text.split('\n').map((line) => {
    const clipped = clipLine(line, maxLine)
    for (const part of clipped.omitted) {
      omittedCharacters += part.length
      omittedBytes += Buffer.byteLength(part)
    }
    return clipped.text
  })
  return { text: lines.join('\n'), omittedCharacters, omittedLines: 0, omittedBytes }
}

function lineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

function amountOf({ omittedCharacters, omittedLines }: Omit<Shown, 'text'>): string {
  const characters = counted(omittedCharacters, 'character')
  return omittedLines === 0 ? characters : `${counted(omittedLines, 'line')} (${characters})`
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}
