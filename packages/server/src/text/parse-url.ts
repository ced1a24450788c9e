// Parses URLs that may be invalid. Node.js 20 and 22 have a URL.canParse that, after some thousand calls, refuses addresses
// with characters such as ü: the compiled call reads Latin-1 text as UTF-8. With a base it does not. Used by
// this package and the app. Pure.

/** Undefined if the text is not a URL. */
export function tryParseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
