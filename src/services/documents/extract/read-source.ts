// Decides what was fetched, and has it read by whoever knows that kind. The bytes have the last word, then the header,
// then the name.

import { decodeText } from '../../../lib/decode-text.js'
import { Failure } from '../../../lib/failure.js'
import { visibleText } from '../../../lib/visible-text.js'
import type { Reading, Source } from './extractor.js'
import { readFeed } from './read-feed.js'
import { readHtml } from './read-html.js'
import { readJson, readPlain } from './read-plain.js'
import { readPdf } from './read-pdf.js'
import { readMarkdown } from './read-markdown.js'
import { binaryOf } from './sniff.js'

export async function readSource(source: Source): Promise<Reading> {
  const { bytes, contentType } = source
  if (isPdf(bytes)) return readPdf(source)
  const binary = binaryOf(bytes)
  if (binary !== undefined && !/charset=utf-16/i.test(contentType)) throw new Failure(refusal(source, binary))
  const text = decodeText(bytes, contentType)
  const kind = kindOf(source, text)
  if (kind === 'html') return readHtml(source, text)
  if (kind === 'markdown') return readMarkdown(source, visibleText(text))
  if (kind === 'json') return readJson(visibleText(text))
  const feed = kind === 'xml' ? readFeed(source, text) : undefined
  return feed ?? readPlain(kind, visibleText(text))
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-')
}

function refusal({ url, contentType, bytes }: Source, { name, isImage }: { name: string; isImage: boolean }): string {
  const size = bytes.length < 10_240 ? `${bytes.length} bytes` : `${Math.round(bytes.length / 1024)} KB`
  const said = contentType === '' ? '' : `, sent as ${contentType.split(';')[0] ?? ''}`
  const what = `${url} is ${name} (${size}${said}), not a page that can be read.`
  return isImage
    ? `${what} ReadImage shows images that are files: save it with Bash (curl -o), then give ReadImage its path.`
    : `${what} If you need it, save it with Bash (curl -o) and open it with a program that knows the format.`
}

type Kind = 'html' | 'markdown' | 'json' | 'xml' | 'text'

function kindOf({ url, contentType }: Source, text: string): Kind {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const head = text.slice(0, 1000).trimStart()
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  if (/^<\?xml|^<(?:rss|feed|rdf:rdf|urlset|sitemapindex)\b/i.test(head) && !/<html\b/i.test(head)) return 'xml'
  if (/^(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype\s+html|html\b|head\b|body\b)/i.test(head)) return 'html'
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type)) return looksLikeMarkup(text) ? 'html' : bare(head, path)
  if (/markdown/.test(type)) return 'markdown'
  if (/[/+]json|ndjson/.test(type)) return 'json'
  if (/[/+]xml$/.test(type)) return 'xml'
  return bare(head, path)
}

function looksLikeMarkup(text: string): boolean {
  return /<[a-z!/][^<]*>/i.test(text.slice(0, 100_000))
}

function bare(head: string, path: string): Kind {
  if (/\.(?:md|mdx|markdown|mkd|rmd)$/i.test(path)) return 'markdown'
  if (/\.(?:json|webmanifest)$/i.test(path) || /^[{[]\s*["{[\]}]/.test(head)) return 'json'
  return /^<\w+[\s>]/.test(head) && /<\/\w+>/.test(head) ? 'html' : 'text'
}
