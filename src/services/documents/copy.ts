// A page as it was obtained, before anything was made of it.

export interface Copy {
  /** What was asked for to get it: the page itself, or its twin. */
  readonly asked: string
  /** Where it was in the end. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly contentType: string
  readonly bytes: Buffer
  readonly way: 'http' | 'twin' | 'browser'
  /** Why there is not more of it. */
  readonly cut: 'size' | 'time' | 'broken' | undefined
  /** In the browser. */
  readonly waitedMs: number
}

export function isHtml({ contentType, bytes }: Copy): boolean {
  if (/^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true
  return contentType === '' && /^\s*<(!doctype html|html)\b/i.test(bytes.subarray(0, 500).toString('latin1'))
}
