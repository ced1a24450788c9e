// Types of text extraction: the request to the worker thread, its result and the signals of a page.

export interface Extractor {
  /** Throws a Failure if the content cannot be read, or not in time. */
  read(source: Source, signal?: AbortSignal): Promise<Reading>
  close(): Promise<void>
}

export type Format = 'markdown' | 'text' | 'html'

export interface Source {
  /** The final URL, which is the base of its links. */
  readonly url: string
  /** As sent by the server; '' if missing. The bytes take precedence. */
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly format: Format
  /** The section, by id or by the text of its heading; '' for the whole document. */
  readonly fragment: string
}

export interface Reading {
  readonly kind: 'html' | 'markdown' | 'text' | 'json' | 'xml' | 'feed' | 'pdf'
  readonly title: string
  readonly language: string
  /** As stated by the page, in ISO 8601 if it can be parsed; '' if unknown. */
  readonly published: string
  readonly canonical: string
  /** In the requested format, with absolute links. */
  readonly content: string
  readonly outline: readonly Heading[]
  /** Whether the section exists; if not, `content` is the whole document. */
  readonly hasFragment: boolean
  /** Of a PDF; otherwise 0. */
  readonly pages: number
  readonly evidence: Evidence
}

export interface Heading {
  readonly level: number
  readonly title: string
  /** Line in `content`, from 0. */
  readonly line: number
  readonly id: string
}

/** Signals by which a page is classified; false, 0 or empty if it is not HTML. */
export interface Evidence {
  readonly htmlChars: number
  /** Length of all visible text. */
  readonly textChars: number
  /** Length of the extracted text. */
  readonly contentChars: number
  readonly scripts: number
  /** Has an empty element for scripts to fill, such as `#root`. */
  readonly hasEmptyRoot: boolean
  /** States, in noscript or in its text, that JavaScript is required. */
  readonly asksForScripts: boolean
  /** The text comes from data for scripts (JSON-LD, __NEXT_DATA__ and similar). */
  readonly isFromState: boolean
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
