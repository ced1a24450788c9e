// The checklist of a plan: its items `- [ ]`, `* [x]`, `1. [ ]`, however deep, but for those in code or in comments.

import { oneLine } from '../../lib/one-line.js'

const MAX_ITEMS = 500
const MAX_CHARACTERS = 1000

export interface Item {
  readonly text: string
  readonly done: boolean
}

export interface Checklist {
  readonly items: readonly Item[]
  /** How many there are; more than these are not taken. */
  readonly total: number
  /** How many were too long and were cut. */
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

/** The first heading; empty where there is none. */
export function headingOf(markdown: string): string {
  const [heading = ''] = plainLines(markdown).flatMap((line) => HEADING.exec(line)?.[1] ?? [])
  return heading.replace(/\s#+$/, '').trim()
}

/** Those outside of fenced code and comments, without the space behind. */
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
        if (closes(line, marker, fence)) fence = ''
        return false
      }
      if (opens(line, marker)) {
        fence = marker
        return false
      }
      isComment = line.lastIndexOf('<!--') > line.lastIndexOf('-->')
      return true
    })
    .map((line) => line.trimEnd())
}

/** What is behind a fence of backticks has none; otherwise it is code within a line. */
function opens(line: string, marker: string): boolean {
  return marker !== '' && !(marker.startsWith('`') && line.slice(line.indexOf(marker) + marker.length).includes('`'))
}

function closes(line: string, marker: string, fence: string): boolean {
  return (
    marker.startsWith(fence) && line.trimEnd().endsWith(marker) && /^[\s>]*$/.test(line.slice(0, line.indexOf(marker)))
  )
}
