// Text without regard to case, for searching. Used by the page and the server, so that both find the same. Pure.

/** As long as the text, so that positions stay the same: this is the only letter whose lower case is longer. */
export function foldCase(text: string): string {
  return text.replaceAll('\u0130', 'I').toLowerCase()
}
