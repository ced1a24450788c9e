// The text of a PDF, page by page. What is only a picture of text has none.

import type * as Unpdf from 'unpdf'

import { Failure } from '../../../lib/failure.js'
import { isObject } from '../../../lib/json.js'
import { visibleText } from '../../../lib/visible-text.js'
import { withoutBlankEnds } from './ends.js'
import type { Heading, Reading, Source } from './extractor.js'
import { noEvidence } from './no-evidence.js'

/** Well before the thread is ended: what was read so far is worth having. */
const TIME_MS = 7000
const MOST_CHARS = 5_000_000

type Library = typeof Unpdf
type Pdf = Awaited<ReturnType<Library['getDocumentProxy']>>

export async function readPdf({ url, bytes, fragment }: Source): Promise<Reading> {
  // Large, and most pages are no PDF.
  const library = await import('unpdf')
  const pdf = await open(library, url, bytes)
  const pages = await texts(pdf)
  if (pages.every((text) => text === '')) {
    throw new Failure(
      `${url} is a PDF of ${pdf.numPages} ${pdf.numPages === 1 ? 'page' : 'pages'} without any text: its pages are pictures. Save it with Bash (curl -o) and use ReadImage on it, or a program for text recognition.`,
    )
  }
  const parts = pages.map((text, at) => `## Page ${at + 1} of ${pdf.numPages}\n\n${text}`.trimEnd())
  if (pages.length < pdf.numPages)
    parts.push(`(Pages ${pages.length + 1} to ${pdf.numPages} were not read: it took too long.)`)
  const section = sectionOf(parts, fragment)
  const content = section ?? parts.join('\n\n')
  const { title, published } = await about(library, pdf)
  return {
    kind: 'pdf',
    title,
    language: '',
    published,
    canonical: '',
    content,
    outline: outlineOf(content),
    hasFragment: section !== undefined,
    pages: pdf.numPages,
    evidence: noEvidence(content.length),
  }
}

/** `#page=3`, as browsers have it. */
function sectionOf(parts: readonly string[], fragment: string): string | undefined {
  const [, page] = /^page=(\d{1,6})\b/i.exec(fragment) ?? []
  return page === undefined ? undefined : parts[Number(page) - 1]
}

async function open({ getDocumentProxy }: Library, url: string, bytes: Uint8Array): Promise<Pdf> {
  try {
    // The library takes the bytes for itself.
    return await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0, isEvalSupported: false })
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    if (isLocked)
      throw new Failure(`${url} is a PDF that is protected by a password; its text cannot be read without it.`)
    throw new Failure(
      `${url} is a PDF that cannot be read: ${error instanceof Error ? error.message : 'it is damaged'}. It may be damaged or cut off.`,
    )
  }
}

async function texts(pdf: Pdf): Promise<string[]> {
  const startedAt = performance.now()
  const pages: string[] = []
  let size = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    if (performance.now() - startedAt > TIME_MS || size > MOST_CHARS) break
    const text = await pageText(pdf, number)
    size += text.length
    pages.push(text)
  }
  return pages
}

async function pageText(pdf: Pdf, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    let text = ''
    for (const item of items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '')
    page.cleanup()
    return withoutBlankEnds(visibleText(text))
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  } catch {
    return '(This page could not be read.)'
  }
}

async function about({ getMeta }: Library, pdf: Pdf): Promise<{ title: string; published: string }> {
  try {
    const { info } = await getMeta(pdf)
    const known: unknown = info
    const title = isObject(known) && typeof known.Title === 'string' ? visibleText(known.Title).trim() : ''
    const date =
      isObject(known) && typeof known.CreationDate === 'string'
        ? /^D:(\d{4})(\d\d)(\d\d)/.exec(known.CreationDate)
        : null
    return { title, published: date === null ? '' : date.slice(1).join('-') }
  } catch {
    return { title: '', published: '' }
  }
}

function outlineOf(content: string): Heading[] {
  return content.split('\n').flatMap((text, line) => {
    const title = /^## (Page (\d+) of \d+)$/.exec(text)
    return title === null ? [] : [{ level: 2, title: title[1] ?? '', line, id: `page=${title[2] ?? ''}` }]
  })
}
