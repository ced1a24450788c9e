// Makes readable text of whatever was fetched. Nothing here goes to the network. The work is done in a thread that is
// ended when it takes too long or too much.

export interface Extractor {
  /** Throws a Failure where it is nothing that can be read, or could not be read in time. */
  read(source: Source, signal?: AbortSignal): Promise<Reading>
  close(): Promise<void>
}

export type Format = 'markdown' | 'text' | 'html'

export interface Source {
  /** Where it came from in the end: the base of its links. */
  readonly url: string
  /** As it came; '' where nothing was said. The bytes have the last word. */
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly format: Format
  /** The section that is wanted, by the id or the name its heading has; '' for everything. */
  readonly fragment: string
}

export interface Reading {
  readonly kind: 'html' | 'markdown' | 'text' | 'json' | 'xml' | 'feed' | 'pdf'
  readonly title: string
  readonly language: string
  /** As the page says it, ISO 8601 where it can be read; '' unknown. */
  readonly published: string
  readonly canonical: string
  /** In the format asked for; links are absolute. */
  readonly content: string
  readonly outline: readonly Heading[]
  /** Whether the section was there; the whole is given where it was not. */
  readonly hasFragment: boolean
  /** Of a PDF. */
  readonly pages: number
  readonly evidence: Evidence
}

export interface Heading {
  readonly level: number
  readonly title: string
  /** The line of `content` it stands in, from 0. */
  readonly line: number
  readonly id: string
}

/** What the page shows of its own nature; all of it false or 0 where it is no HTML. */
export interface Evidence {
  readonly htmlChars: number
  /** Of all its visible text. */
  readonly textChars: number
  /** Of what was taken from it. */
  readonly contentChars: number
  readonly scripts: number
  /** An empty element that scripts are meant to fill, such as `#root`. */
  readonly hasEmptyRoot: boolean
  /** It says, in noscript or in its text, that JavaScript is needed. */
  readonly asksForScripts: boolean
  /** The text was found in data for scripts (JSON-LD, __NEXT_DATA__ and the like). */
  readonly isFromState: boolean
  /** Which bot check it shows; '' none. */
  readonly challenge: string
  readonly hasLoginForm: boolean
  readonly hasPaywall: boolean
  /** It is there and says that it is not: "page not found" with status 200. */
  readonly saysNotFound: boolean
  /** The same in a format that is easier to read: rel=alternate. */
  readonly alternates: readonly { readonly type: string; readonly url: string }[]
  /** A page that only sends the reader on: meta refresh. */
  readonly refreshTo: string
}
