// Reads the text of a PDF page by page, within a time limit. Scanned pages have none. Called by pdf-worker, in a process
// of its own. No I/O except loading the package unpdf.

import type * as Unpdf from 'unpdf'

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { removeInvisible } from '../../../../text/untrusted-text.js'
import { trimLineEnds } from '../dom/trim-text.js'
import { createEmptySignals, type ExtractRequest, type ExtractResult, type OutlineHeading } from '../extract-types.js'

/** Less than the limit of the worker process, so that the pages read so far are returned. */
const MAX_READ_MS = 7000
const MAX_CHARS = 5_000_000

type UnpdfLibrary = typeof Unpdf
type Pdf = Awaited<ReturnType<UnpdfLibrary['getDocumentProxy']>>

export async function readPdf({ url, bytes, fragment }: ExtractRequest): Promise<ExtractResult> {
  // Loaded on demand: the library is large, and PDFs are rare.
  const library = await import('unpdf')
  const pdf = await openPdf(library, url, bytes)
  const pages = await readPageTexts(pdf)
  if (pages.every((text) => text === '')) {
    throw new Failure(
      `${url} is a PDF of ${pdf.numPages} ${pdf.numPages === 1 ? 'page' : 'pages'} without text: its pages are images. Save it with Bash (curl -o) and open it with ReadImage, or use an OCR program.`,
    )
  }
  const parts = pages.map((text, index) => `## Page ${index + 1} of ${pdf.numPages}\n\n${text}`.trimEnd())
  if (pages.length < pdf.numPages)
    parts.push(`(Pages ${pages.length + 1} to ${pdf.numPages} were not read: time limit reached.)`)
  const section = findPdfPage(parts, fragment)
  const content = section ?? parts.join('\n\n')
  const { title, published } = await readPdfMetadata(library, pdf)
  return {
    kind: 'pdf',
    title,
    language: '',
    published,
    canonical: '',
    content,
    outline: buildPdfOutline(content),
    hasFragment: section !== undefined,
    pageCount: pdf.numPages,
    signals: createEmptySignals(content.length),
  }
}

/** `#page=3`, as in browsers. */
function findPdfPage(parts: readonly string[], fragment: string): string | undefined {
  const [, page] = /^page=(\d{1,6})\b/i.exec(fragment) ?? []
  return page === undefined ? undefined : parts[Number(page) - 1]
}

async function openPdf({ getDocumentProxy }: UnpdfLibrary, url: string, bytes: Uint8Array): Promise<Pdf> {
  try {
    // Copied, because the library takes ownership of the bytes.
    return await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0, isEvalSupported: false })
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === 'PasswordException'
    if (isEncrypted) throw new Failure(`${url} is a PDF that is protected by a password.`)
    throw new Failure(
      `${url} is a PDF that cannot be read: ${error instanceof Error ? error.message : 'it is damaged'}. It may be damaged or truncated.`,
    )
  }
}

async function readPageTexts(pdf: Pdf): Promise<string[]> {
  const startedAt = performance.now()
  const pages: string[] = []
  let totalChars = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    if (performance.now() - startedAt > MAX_READ_MS || totalChars > MAX_CHARS) break
    const text = await pageText(pdf, number)
    totalChars += text.length
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
    return trimLineEnds(removeInvisible(text))
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  } catch {
    return '(This page could not be read.)'
  }
}

async function readPdfMetadata({ getMeta }: UnpdfLibrary, pdf: Pdf): Promise<{ title: string; published: string }> {
  try {
    const { info } = await getMeta(pdf)
    const metadata: unknown = info
    const title =
      isJsonObject(metadata) && typeof metadata.Title === 'string' ? removeInvisible(metadata.Title).trim() : ''
    const date =
      isJsonObject(metadata) && typeof metadata.CreationDate === 'string'
        ? /^D:(\d{4})(\d\d)(\d\d)/.exec(metadata.CreationDate)
        : null
    return { title, published: date === null ? '' : date.slice(1).join('-') }
  } catch {
    return { title: '', published: '' }
  }
}

function buildPdfOutline(content: string): OutlineHeading[] {
  return content.split('\n').flatMap((text, line) => {
    const title = /^## (Page (\d+) of \d+)$/.exec(text)
    return title === null ? [] : [{ level: 2, title: title[1] ?? '', line, id: `page=${title[2] ?? ''}` }]
  })
}
