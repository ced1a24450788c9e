// Types of text extraction, shared by the main thread and the worker thread: the request, its result and the signals of
// a page, with their type guards. Used by document-reader, extractor and the readers. No I/O.

import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { WorkerBudget } from '../../../process/bounded-worker.js'

/** For one PDF: a process that exceeds it is killed. */
export const PDF_BUDGET: WorkerBudget = { ms: 10_000, residentBytes: 384 * 1024 * 1024 }

export interface Extractor {
  /** Throws a Failure if the content cannot be read, or not in time. */
  read(source: ExtractRequest, signal?: AbortSignal): Promise<ExtractResult>
  close(): Promise<void>
}

export type DocumentFormat = 'markdown' | 'text' | 'html'

export interface ExtractRequest {
  /** The final URL, which is the base of its links. */
  readonly url: string
  /** As sent by the server; '' if missing. The bytes take precedence. */
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly format: DocumentFormat
  /** The section, by id or by the text of its heading; '' for the whole document. */
  readonly fragment: string
}

export interface ExtractResult {
  readonly kind: 'html' | 'markdown' | 'text' | 'json' | 'xml' | 'feed' | 'pdf'
  readonly title: string
  readonly language: string
  /** As stated by the page, in ISO 8601 if it can be parsed; '' if unknown. */
  readonly published: string
  readonly canonical: string
  /** In the requested format, with absolute links. */
  readonly content: string
  readonly outline: readonly OutlineHeading[]
  /** Whether the section exists; if not, `content` is the whole document. */
  readonly hasFragment: boolean
  /** Of a PDF; otherwise 0. */
  readonly pageCount: number
  readonly signals: PageSignals
}

export interface OutlineHeading {
  readonly level: number
  readonly title: string
  /** Line in `content`, from 0. */
  readonly line: number
  readonly id: string
}

/** Signals by which a page is classified; false, 0 or empty if it is not HTML. */
export interface PageSignals {
  readonly htmlChars: number
  /** Length of all visible text. */
  readonly textChars: number
  /** Length of the extracted text. */
  readonly contentChars: number
  readonly scriptCount: number
  /** Has an empty element for scripts to fill, such as `#root`. */
  readonly hasEmptyRoot: boolean
  /** States, in noscript or in its text, that JavaScript is required. */
  readonly saysScriptsRequired: boolean
  /** The text comes from data for scripts (JSON-LD, __NEXT_DATA__ and similar). */
  readonly isFromEmbeddedData: boolean
  /** Vendor of the bot check; '' for none. */
  readonly challenge: string
  readonly hasLoginForm: boolean
  readonly hasPaywall: boolean
  /** Says "page not found", whatever its status. */
  readonly saysNotFound: boolean
  /** Other formats of the page: rel=alternate. */
  readonly alternates: readonly { readonly type: string; readonly url: string }[]
  /** Target of a meta refresh; '' for none. */
  readonly refreshTo: string
}

export function isExtractRequest(value: unknown): value is ExtractRequest {
  return isJsonObject(value) && typeof value.url === 'string' && value.bytes instanceof Uint8Array
}

export function isExtractResult(value: unknown): value is ExtractResult {
  return isJsonObject(value) && typeof value.content === 'string' && Array.isArray(value.outline)
}

/** The message of a Failure in the worker; undefined for other errors. */
export function readFailureMessage(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.failure === 'string' ? value.failure : undefined
}

/** The signals of content that is not HTML. */
export function createEmptySignals(contentChars: number): PageSignals {
  return {
    htmlChars: 0,
    textChars: 0,
    contentChars,
    scriptCount: 0,
    hasEmptyRoot: false,
    saysScriptsRequired: false,
    isFromEmbeddedData: false,
    challenge: '',
    hasLoginForm: false,
    hasPaywall: false,
    saysNotFound: false,
    alternates: [],
    refreshTo: '',
  }
}
