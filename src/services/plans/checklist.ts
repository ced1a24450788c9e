// Parses the checklist of a plan (`- [ ]`, `* [x]`, `1. [ ]`, at any depth, outside code and comments) and creates a
// task from it.

import { oneLine } from '../../lib/one-line.js'

const MAX_ITEMS = 500
const MAX_CHARACTERS = 1000

export interface Item {
  readonly text: string
  readonly done: boolean
}

export interface Checklist {
  readonly items: readonly Item[]
  /** Items in the document; may be more than `items` holds. */
  readonly total: number
  /** Items that were truncated because they were too long. */
  readonly cut: number
}

const ITEM = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(\S.*)$/
const HEADING = /^ {0,3}#{1,6}\s+(\S.*)$/

export function checklistOf(markdown: string): Checklist {
  const found = plainLines(markdown).flatMap((line): Item[] => {
    const [, mark = '', text = ''] = ITEM.exec(line) ?? []
    return text === '' ? [] : [{ text, done: mark !== ' ' }]
  })
  const kept = found.slice(0, MAX_ITEMS)
  const items = kept.map(({ text, done }) => ({ text: oneLine(text, MAX_CHARACTERS), done }))
  return { items, total: found.length, cut: kept.filter(({ text }) => text.length > MAX_CHARACTERS).length }
}

/** Returns the text of the first heading, or an empty string. */
export function headingOf(markdown: string): string {
  const [heading = ''] = plainLines(markdown).flatMap((line) => HEADING.exec(line)?.[1] ?? [])
  return heading.replace(/\s#+$/, '').trim()
}

/** Returns the lines outside fenced code and comments, without trailing white space. */
function plainLines(markdown: string): readonly string[] {
  let fence = ''
  let isComment = false
  return markdown
    .split(/\r\n|\r|\n/)
    .filter((line) => {
      if (isComment) {
        isComment = !line.includes('-->')
        return false
      }
      const marker = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
      if (fence !== '') {
        if (isFenceEnd(line, marker, fence)) fence = ''
        return false
      }
      if (isFenceStart(line, marker)) {
        fence = marker
        return false
      }
      isComment = line.lastIndexOf('<!--') > line.lastIndexOf('-->')
      return true
    })
    .map((line) => line.trimEnd())
}

/** The info string of a backtick fence contains no backticks; otherwise the line is inline code. */
function isFenceStart(line: string, marker: string): boolean {
  return marker !== '' && !(marker.startsWith('`') && line.slice(line.indexOf(marker) + marker.length).includes('`'))
}

function isFenceEnd(line: string, marker: string, fence: string): boolean {
  return (
    marker.startsWith(fence) && line.trimEnd().endsWith(marker) && /^[\s>]*$/.test(line.slice(0, line.indexOf(marker)))
  )
}
