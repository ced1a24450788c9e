// Trims text in linear time. A regular expression that ends in `+$` is quadratic: it restarts at every character of a
// run that is not at the end. Used throughout extract/. Pure.

/** Removes all of these suffixes, repeatedly. */
export function trimSuffixes(text: string, suffixes: readonly string[]): string {
  let end = text.length
  for (;;) {
    const current = end
    const suffix = suffixes.find((candidate) => text.endsWith(candidate, current))
    if (suffix === undefined) return text.slice(0, end)
    end -= suffix.length
  }
}

/** Removes blanks at the end of each line. */
export function trimLineEnds(text: string): string {
  return text.replace(/(?<![ \t])[ \t]+$/gm, '')
}

/** Replaces each match of `pattern` (by default whitespace) that contains a line break with `separator`. */
export function joinLines(text: string, separator: string, pattern = /\s+/g): string {
  return text.replace(pattern, (space) => (space.includes('\n') ? separator : space))
}
