// Markdown as its author wrote it, with links that still lead somewhere from here.

import { withoutEnd } from './ends.js'
import type { Heading, Reading, Source } from './extractor.js'
import { noEvidence } from './no-evidence.js'
import { isNamed, slugOf } from './slug.js'
import { absolute } from './write/links.js'

export function readMarkdown({ url, fragment }: Source, text: string): Reading {
  const { body, title, language } = frontMatter(text)
  const whole = withAbsoluteLinks(body, url)
  const section = fragment === '' ? undefined : sectionOf(whole, fragment)
  const content = section ?? whole
  const outline = outlineOf(content)
  return {
    kind: 'markdown',
    title: title || (outlineOf(whole).find(({ level }) => level === 1)?.title ?? ''),
    language,
    published: '',
    canonical: '',
    content,
    outline,
    hasFragment: section !== undefined,
    pages: 0,
    evidence: noEvidence(content.length),
  }
}

const BLANKS = [' ', '\t']

function outlineOf(text: string): Heading[] {
  const found: Heading[] = []
  for (const { line, at } of proseLines(text)) {
    const [, signs = '', words = ''] = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) ?? []
    if (signs === '') continue
    const { rest, id } = namedTitle(words)
    const title = plainTitle(rest)
    if (title !== '') found.push({ level: signs.length, title, line: at, id: id || slugOf(title) })
  }
  return found
}

/** Some write the name of a heading behind it: `Words {#name}`. */
function namedTitle(words: string): { rest: string; id: string } {
  const text = words.trimEnd()
  const open = text.endsWith('}') ? text.lastIndexOf('{#') : -1
  const id = open === -1 ? '' : text.slice(open + 2, -1)
  return id === '' || /[}\s]/.test(id) ? { rest: words, id: '' } : { rest: text.slice(0, open).trimEnd(), id }
}

function plainTitle(words: string): string {
  return withoutLinks(withoutLinks(withoutClosing(words)))
    .replace(/[`*]|\\(?=[!-/:-@[-`{-~])/g, '')
    .trim()
}

/** `## Words ##` */
function withoutClosing(words: string): string {
  const text = withoutEnd(words, BLANKS)
  const open = withoutEnd(text, ['#'])
  return open !== text && /^[ \t]$/.test(open.slice(-1)) ? withoutEnd(open, BLANKS) : words
}

/** Images first, then the links around them. Where an address begins it also ends, since nothing is read behind the last end. */
function withoutLinks(words: string): string {
  const end = words.lastIndexOf(')') + 1
  return words.slice(0, end).replace(/!?\[([^\][]*)\]\([^)]*\)/g, '$1') + words.slice(end)
}

/** Those outside of code. */
function* proseLines(text: string): Generator<{ line: string; at: number }> {
  let fence = ''
  for (const [at, line] of text.split('\n').entries()) {
    const sign = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && sign !== '') fence = sign
    else if (fence !== '') {
      if (sign.startsWith(fence) && line.trim() === sign) fence = ''
    } else yield { line, at }
  }
}

function sectionOf(text: string, fragment: string): string | undefined {
  const headings = outlineOf(text)
  const start = headings.find((heading) => isNamed(fragment, heading))
  if (start === undefined) return undefined
  const end = headings.find(({ line, level }) => line > start.line && level <= start.level)
  return text.split('\n').slice(start.line, end?.line).join('\n').trimEnd()
}

function withAbsoluteLinks(text: string, url: string): string {
  const lines = text.split('\n')
  for (const { line, at } of proseLines(text)) {
    lines[at] = withLeadingLinks(line, url).replace(
      /^( {0,3}\[[^\]]+\]:\s+)(\S+)/,
      (_, label: string, address: string) => label + lead(address, url),
    )
  }
  return lines.join('\n')
}

function withLeadingLinks(line: string, url: string): string {
  const ends = codeEnds(line)
  const written: string[] = []
  let done = 0
  const pattern = /`+|\]\(<?([^()\s<>]+)/g
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const [all, address] = match
    if (address === undefined) pattern.lastIndex = ends.get(match.index) ?? pattern.lastIndex
    else {
      written.push(line.slice(done, match.index + all.length - address.length), lead(address, url))
      done = pattern.lastIndex
    }
  }
  return written.join('') + line.slice(done)
}

/** Where code that begins at a place ends: at the next run of as many signs. */
function codeEnds(line: string): Map<number, number> {
  const ends = new Map<number, number>()
  const open = new Map<number, number>()
  for (const { 0: run, index } of line.matchAll(/`+/g)) {
    const before = open.get(run.length)
    if (before !== undefined) ends.set(before, index + run.length)
    open.set(run.length, index)
  }
  return ends
}

function lead(address: string, url: string): string {
  return absolute(address, url) || address
}

function frontMatter(text: string): { body: string; title: string; language: string } {
  const found = /^---[ \t]*\n([^]{0,20000}?)\n(?:---|\.\.\.)[ \t]*\n/.exec(text)
  const value = (name: string) => {
    const said = new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(found?.[1] ?? '')?.[1] ?? ''
    return withoutEnd(said, BLANKS).replace(/^["']/, '').replace(/["']$/, '')
  }
  return { body: text, title: value('title'), language: value('lang') }
}
