// Markdown as its author wrote it, with links that still lead somewhere from here.

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

function outlineOf(text: string): Heading[] {
  const found: Heading[] = []
  for (const { line, at } of proseLines(text)) {
    const [, signs = '', words = ''] = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) ?? []
    if (signs === '') continue
    const title = plainTitle(words)
    const id = /\{#([^}\s]+)\}\s*$/.exec(words)?.[1] ?? slugOf(title)
    if (title !== '') found.push({ level: signs.length, title, line: at, id })
  }
  return found
}

function plainTitle(words: string): string {
  return words
    .replace(/\s*\{#[^}\s]+\}\s*$/, '')
    .replace(/[ \t]+#+[ \t]*$/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]|\\(?=[!-/:-@[-`{-~])/g, '')
    .trim()
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
    lines[at] = line
      .replace(
        /(`+)[^`]*?\1|(\]\()(<?)([^()\s<>]+)(>?)/g,
        (all, _, open: string | undefined, left: string, address: string, right: string) =>
          open === undefined ? all : `${open}${left}${lead(address, url)}${right}`,
      )
      .replace(/^( {0,3}\[[^\]]+\]:\s+)(\S+)/, (_, label: string, address: string) => label + lead(address, url))
  }
  return lines.join('\n')
}

function lead(address: string, url: string): string {
  return absolute(address, url) || address
}

function frontMatter(text: string): { body: string; title: string; language: string } {
  const found = /^---[ \t]*\n([^]{0,20000}?)\n(?:---|\.\.\.)[ \t]*\n/.exec(text)
  const value = (name: string) =>
    new RegExp(`^${name}:[ \\t]*["']?(.*?)["']?[ \\t]*$`, 'm').exec(found?.[1] ?? '')?.[1] ?? ''
  return { body: text, title: value('title'), language: value('lang') }
}
