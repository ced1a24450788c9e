// Reads Markdown: text unchanged except for absolute links, with outline and section. Called by extract-content. Pure.

import { matchesFragment, resolveLink, slugify } from '../dom/links.js'
import { trimSuffixes } from '../dom/trim-text.js'
import { createEmptySignals, type ExtractRequest, type ExtractResult, type OutlineHeading } from '../extract-types.js'

export function readMarkdown({ url, fragment }: ExtractRequest, text: string): ExtractResult {
  const { body, title, language } = parseFrontMatter(text)
  const allText = resolveLinks(body, url)
  const section = fragment === '' ? undefined : findMarkdownSection(allText, fragment)
  const content = section ?? allText
  const outline = findHeadings(content)
  return {
    kind: 'markdown',
    title: title || (findHeadings(allText).find(({ level }) => level === 1)?.title ?? ''),
    language,
    published: '',
    canonical: '',
    content,
    outline,
    hasFragment: section !== undefined,
    pageCount: 0,
    signals: createEmptySignals(content.length),
  }
}

const BLANKS = [' ', '\t']

function findHeadings(text: string): OutlineHeading[] {
  const headings: OutlineHeading[] = []
  for (const { line, at } of linesOutsideCode(text)) {
    const [, hashes = '', rawTitle = ''] = /^ {0,3}(#{1,6})[ \t]+(?![ \t])(.*)$/.exec(line) ?? []
    if (hashes === '') continue
    const { rest, id } = splitHeadingId(rawTitle)
    const title = headingToText(rest)
    if (title !== '') headings.push({ level: hashes.length, title, line: at, id: id || slugify(title) })
  }
  return headings
}

/** A heading may end with its id: `Title {#id}`. */
function splitHeadingId(rawTitle: string): { rest: string; id: string } {
  const text = rawTitle.trimEnd()
  const openRuns = text.endsWith('}') ? text.lastIndexOf('{#') : -1
  const id = openRuns === -1 ? '' : text.slice(openRuns + 2, -1)
  return id === '' || /[}\s]/.test(id) ? { rest: rawTitle, id: '' } : { rest: text.slice(0, openRuns).trimEnd(), id }
}

function headingToText(rawTitle: string): string {
  return stripLinks(stripLinks(stripClosingHashes(rawTitle)))
    .replace(/[`*]|\\(?=[!-/:-@[-`{-~])/g, '')
    .trim()
}

/** `## Title ##` */
function stripClosingHashes(rawTitle: string): string {
  const text = trimSuffixes(rawTitle, BLANKS)
  const openRuns = trimSuffixes(text, ['#'])
  return openRuns !== text && /^[ \t]$/.test(openRuns.slice(-1)) ? trimSuffixes(openRuns, BLANKS) : rawTitle
}

/** Called twice: for images, then for the links around them. Stops at the last `)`, so that unclosed links cost nothing. */
function stripLinks(rawTitle: string): string {
  const end = rawTitle.lastIndexOf(')') + 1
  return rawTitle.slice(0, end).replace(/!?\[([^\][]*)\]\([^)]*(?:\)|$)/g, '$1') + rawTitle.slice(end)
}

/** Lines outside of code blocks. */
function* linesOutsideCode(text: string): Generator<{ line: string; at: number }> {
  let fence = ''
  for (const [at, line] of text.split('\n').entries()) {
    const fenceMarker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && fenceMarker !== '') fence = fenceMarker
    else if (fence !== '') {
      if (fenceMarker.startsWith(fence) && line.trim() === fenceMarker) fence = ''
    } else yield { line, at }
  }
}

function findMarkdownSection(text: string, fragment: string): string | undefined {
  const headings = findHeadings(text)
  const start = headings.find((heading) => matchesFragment(fragment, heading))
  if (start === undefined) return undefined
  const end = headings.find(({ line, level }) => line > start.line && level <= start.level)
  return text.split('\n').slice(start.line, end?.line).join('\n').trimEnd()
}

function resolveLinks(text: string, url: string): string {
  const lines = text.split('\n')
  for (const { line, at } of linesOutsideCode(text)) {
    lines[at] = resolveInlineLinks(line, url).replace(
      /^( {0,3}\[[^\]]+\]:\s+)(\S+)/,
      (_, label: string, address: string) => label + resolveAddress(address, url),
    )
  }
  return lines.join('\n')
}

function resolveInlineLinks(line: string, url: string): string {
  const codeSpanEnds = findCodeSpanEnds(line)
  const output: string[] = []
  let copiedTo = 0
  const pattern = /`+|\]\(<?([^()\s<>]+)/g
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const [all, address] = match
    if (address === undefined) pattern.lastIndex = codeSpanEnds.get(match.index) ?? pattern.lastIndex
    else {
      output.push(line.slice(copiedTo, match.index + all.length - address.length), resolveAddress(address, url))
      copiedTo = pattern.lastIndex
    }
  }
  return output.join('') + line.slice(copiedTo)
}

/** Maps the start of a code span to its end: the next run of equally many backticks. */
function findCodeSpanEnds(line: string): Map<number, number> {
  const codeSpanEnds = new Map<number, number>()
  const openRuns = new Map<number, number>()
  for (const { 0: run, index } of line.matchAll(/`+/g)) {
    const before = openRuns.get(run.length)
    if (before !== undefined) codeSpanEnds.set(before, index + run.length)
    openRuns.set(run.length, index)
  }
  return codeSpanEnds
}

function resolveAddress(address: string, url: string): string {
  return resolveLink(address, url) || address
}

function parseFrontMatter(text: string): { body: string; title: string; language: string } {
  const match = /^---[ \t]*\n([^]{0,20000}?)\n(?:---|\.\.\.)[ \t]*\n/.exec(text)
  const getField = (name: string) => {
    const value = new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(match?.[1] ?? '')?.[1] ?? ''
    return trimSuffixes(value, BLANKS).replace(/^["']/, '').replace(/["']$/, '')
  }
  return { body: text, title: getField('title'), language: getField('lang') }
}
