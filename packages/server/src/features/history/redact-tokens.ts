// Replaces what looks like a secret in a text that is kept: tokens of known form, private keys, passwords in URLs, and
// values of variables and members with names such as API_TOKEN. The settings add names and expressions. Takes time in
// proportion to the text: test/expressions.test.ts attacks each expression, and those of the settings are restricted by
// redaction-pattern.ts. Used by build-call-details.ts. Pure.

import { parseRedactionSettings } from './redaction-pattern.js'

export type TokenRedactor = (text: string) => string

const REPLACEMENT = '[secret]'

/** Group 1 is kept, the rest is replaced. A value that begins with `$` or `<` is a reference or a placeholder. */
const SHAPES: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^]*?(?:(?=-----END)|$)/i,
  /(\bauthorization\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}\\{0,3}["']?(?:bearer|basic|token)[ \t]{1,3})[\w.~+/=-]{6,}/i,
  /(\bauthorization\\{0,3}["']?[ \t]{0,3}:[ \t]{0,3}\\{0,3}["']?(?:[a-z][\w-]{0,20}[ \t]{1,3})?)(?=[\w.~+/-]{0,60}\d)[\w.~+/=-]{16,}/i,
  /(\b(?:x-(?:api|auth|access)-(?:key|token)|api-key|private-token)["']?[ \t]{0,3}:[ \t]{0,3})(?![$<])[^\s"'\\]{6,}/i,
  /(\b(?:set-)?cookie\\{0,3}["']?[ \t]{0,3}:[ \t]{0,3}\\{0,3}["']?)(?=[^\s"'\\=;$<]{1,100}=)[^"'\\\r\n]{4,}/i,
  /(\s--(?:[a-z]{1,20}-)?(?:password|passphrase|secret|token|api-key)[ \t]{1,3}["']?)(?![-$<])[^\s"'\\;|&]{6,}/i,
  /(\bbearer[ \t]{1,3})(?=[\w.~+/-]{0,60}\d)[\w.~+/=-]{16,}/i,
  /(:\/\/[^\s:@/"'\\]{0,100}:)(?![$<])[^\s@/"'\\]{1,200}(?=@)/i,
  /()(?<![\w-])sk-(?=[\w-]{0,40}\d)[\w-]{16,}/i,
  /()(?<![\w-])(?:gh[pousr]_|github_pat_|npm_)\w{20,}/i,
  // Tokens of `serve --http`, and keys in links of the console.
  /()(?<![\w-])sxc_[\w-]{40,}/i,
  /([#?&]key=)[\w-]{16,}/i,
  /()(?<![\w-])(?:xox[abeoprs]-[\w-]{10,}|glpat-[\w-]{20,}|AIza[\w-]{30,})/i,
  /()(?<![\w-])A[KS]IA[0-9A-Z]{16}(?!\w)/i,
  /()(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*/i,
]

/** Parts of names whose values are secrets. */
const NAMES = ['secret', 'token', 'passw(?:or)?d', 'passphrase', '(?:api|access|private)[_-]?key']

/** Without the settings: for servers that have none. */
export const redactTokens = createTokenRedactor('')

/** `setting`: that of CALL_HISTORY_REDACT. Throws a Failure if it cannot be used. */
export function createTokenRedactor(setting: string): TokenRedactor {
  const { names, patterns } = parseRedactionSettings(setting)
  const named = `((?:${[...NAMES, ...names].join('|')})s?(?:[_-][\\w-]{0,40})?`
  const expressions = [
    ...SHAPES.map(({ source }) => source),
    // As JSON, in code, or with a quoted value.
    `${named}["']?[ \\t]{0,3}[:=][ \\t]{0,3}["'])(?![$<[])(?:[^"'\\n\\\\]|\\\\.){4,}`,
    // As JSON in a text of a shell or of JSON.
    `${named}\\\\{1,3}["']?[ \\t]{0,3}[:=][ \\t]{0,3}\\\\{1,3}["'])(?![$<[])(?:[^"'\\n\\\\]|\\\\{2,4}["']?){4,}`,
    // As a variable or in an address.
    `${named}(?:=|%3D))(?![$<])[^\\s"'\`\\\\&;,|()<>{}[\\]]{6,}`,
    ...patterns.map((source) => `()(?:${source})`),
  ]
  const combined = new RegExp(expressions.join('|'), 'gi')
  return (text) => text.replace(combined, replaceMatch)
}

function replaceMatch(match: string, ...groups: readonly unknown[]): string {
  const kept = groups.slice(0, -2).find((group) => group !== undefined)
  return match === '' ? '' : `${typeof kept === 'string' ? kept : ''}${REPLACEMENT}`
}
