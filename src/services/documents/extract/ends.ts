// Takes things from the end of a text, each character looked at once: a pattern that ends in `+$` begins anew at every
// sign of a run that does not stand at the end.

/** Without any of these signs at its end. */
export function withoutEnd(text: string, signs: readonly string[]): string {
  let end = text.length
  for (;;) {
    const at = end
    const sign = signs.find((one) => text.endsWith(one, at))
    if (sign === undefined) return text.slice(0, end)
    end -= sign.length
  }
}

/** No line with blanks at its end. */
export function withoutBlankEnds(text: string): string {
  return text.replace(/(?<![ \t])[ \t]+$/gm, '')
}

/** A run of space with a line break in it becomes `sign`; also a backslash before it does, where it is part of the break. */
export function joinedLines(text: string, sign: string, pattern = /\s+/g): string {
  return text.replace(pattern, (space) => (space.includes('\n') ? sign : space))
}
