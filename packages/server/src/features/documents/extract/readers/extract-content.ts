// Extracts the text of fetched bytes: detects the content type (by bytes, then header, then file extension) and calls the
// reader for it. Reads plain text, XML and JSON itself; not PDFs, which are decompressed and therefore read in a process of
// their own. Called by worker.ts for each request. No I/O: the bytes are given.

import { Failure } from '@scorpiox/mcp/errors'
import { tryParseJson } from '@scorpiox/mcp/json/json'
import { decodeText } from '../../../../text/decode-text.js'
import { readByteOrderMark } from '../../../../text/utf16.js'
import { removeInvisible } from '../../../../text/untrusted-text.js'
import { describeFileType } from '../../../../files/file-type.js'
import { createEmptySignals, type ExtractRequest, type ExtractResult } from '../extract-types.js'
import { readFeed } from './read-feed.js'
import { readHtml } from './read-html.js'
import { readMarkdown } from './read-markdown.js'
import { tryParseUrl } from '../../../../text/parse-url.js'

export async function extractContent(source: ExtractRequest): Promise<ExtractResult> {
  const { bytes, contentType } = source
  const binary = detectBinary(bytes)
  if (binary !== undefined && !/charset=utf-16/i.test(contentType)) throw new Failure(describeBinary(source, binary))
  const text = decodeText(bytes, contentType)
  const kind = detectKind(source, text)
  if (kind === 'html') return readHtml(source, text)
  if (kind === 'markdown') return readMarkdown(source, removeInvisible(text))
  if (kind === 'json') return readJsonText(removeInvisible(text))
  const feed = kind === 'xml' ? readFeed(source, text) : undefined
  return feed ?? readPlainText(kind, removeInvisible(text))
}

function describeBinary(
  { url, contentType, bytes }: ExtractRequest,
  { name, isImage }: { name: string; isImage: boolean },
): string {
  const size = bytes.length < 10_240 ? `${bytes.length} bytes` : `${Math.round(bytes.length / 1024)} KB`
  const type = contentType.split(';')[0] ?? ''
  // Another type is text that the server chose.
  const sentAs = COMMON_TYPE.test(type) ? `, sent as ${type}` : ''
  const description = `${url} is ${name} (${size}${sentAs}), not a readable page.`
  return isImage
    ? `${description} ReadImage shows image files: save it with Bash (curl -o) and pass the path to ReadImage.`
    : `${description} To use it, save it with Bash (curl -o) and open it with a program for this format.`
}

const COMMON_TYPE = /^(?:text\/(?:html|plain)|application\/(?:octet-stream|json|xml|pdf))$/

type TextKind = 'html' | 'markdown' | 'json' | 'xml' | 'text'

function detectKind({ url, contentType }: ExtractRequest, text: string): TextKind {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const head = text.slice(0, 1000).trimStart()
  const path = tryParseUrl(url)?.pathname ?? ''
  if (/^<\?xml|^<(?:rss|feed|rdf:rdf|urlset|sitemapindex)\b/i.test(head) && !/<html\b/i.test(head)) return 'xml'
  if (/^(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype\s+html|html\b|head\b|body\b)/i.test(head)) return 'html'
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type))
    return containsTags(text) ? 'html' : detectUntypedKind(head, path)
  if (/markdown/.test(type)) return 'markdown'
  if (/[/+]json|ndjson/.test(type)) return 'json'
  if (/[/+]xml$/.test(type)) return 'xml'
  return detectUntypedKind(head, path)
}

function containsTags(text: string): boolean {
  return /<[a-z!/][^<]*>/i.test(text.slice(0, 100_000))
}

function detectUntypedKind(head: string, path: string): TextKind {
  if (/\.(?:md|mdx|markdown|mkd|rmd)$/i.test(path)) return 'markdown'
  if (/\.(?:json|webmanifest)$/i.test(path) || /^[{[]\s*["{[\]}]/.test(head)) return 'json'
  return /^<\w+[\s>]/.test(head) && /<\/\w+>/.test(head) ? 'html' : 'text'
}

/** The text unchanged. */
function readPlainText(kind: 'text' | 'xml' | 'json', content: string): ExtractResult {
  return {
    kind,
    title: '',
    language: '',
    published: '',
    canonical: '',
    content,
    outline: [],
    hasFragment: false,
    pageCount: 0,
    signals: createEmptySignals(content.length),
  }
}

const MAX_LINE_CHARS = 200

/** JSON on long lines is indented, so that it can be paginated; other JSON is unchanged. */
function readJsonText(text: string): ExtractResult {
  const isLong = text.split('\n', 50).some((line) => line.length > MAX_LINE_CHARS)
  const value = isLong ? tryParseJson(text) : undefined
  if (value === undefined) return readPlainText('json', text)
  return readPlainText('json', JSON.stringify(value, null, 2))
}

interface BinaryType {
  readonly name: string
  readonly isImage: boolean
}

const SCAN_BYTES = 4096

/** Undefined if the content seems to be text. */
export function detectBinary(bytes: Uint8Array): BinaryType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SCAN_BYTES))
  const type = describeFileType(head)
  // Magic numbers of plain letters need a NUL byte as confirmation.
  const isBinary = hasNul(bytes)
  if (type !== undefined && (isBinary || !/^[\n\r\t\x20-\x7e]*$/.test(head.toString('latin1', 0, 5))))
    return { name: type === 'a ZIP archive' ? detectZipDocument(head) : type, isImage: / (?:image|icon)$/.test(type) }
  return isBinary ? { name: 'binary data', isImage: false } : undefined
}

function hasNul(bytes: Uint8Array): boolean {
  const isUtf16 = readByteOrderMark(bytes)?.startsWith('utf-16') ?? false
  return !isUtf16 && bytes.subarray(0, SCAN_BYTES).includes(0)
}

function detectZipDocument(head: Buffer): string {
  const names = head.toString('latin1')
  if (names.includes('word/')) return 'a Word document'
  if (names.includes('xl/')) return 'an Excel workbook'
  if (names.includes('ppt/')) return 'a PowerPoint presentation'
  if (names.includes('application/epub+zip')) return 'an EPUB book'
  return 'a ZIP archive'
}
