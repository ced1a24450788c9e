// Parses scorpiox-env.txt: KEY=VALUE lines, `#` comments (also after a value, preceded by a space), no quoting. Returns
// entries and problems with their line numbers. Pure: load-config.ts reads the file.

const MAX_KEY_CHARS = 64
const MAX_VALUE_CHARS = 512
const MAX_LINE_CHARS = 4096

export interface EnvFileEntry {
  readonly key: string
  readonly value: string
  readonly line: number
}

export interface EnvFile {
  readonly entries: readonly EnvFileEntry[]
  readonly problems: readonly { readonly line: number; readonly about: string }[]
}

export function parseEnvFile(text: string): EnvFile {
  const entries: EnvFileEntry[] = []
  const problems: { line: number; about: string }[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const parsed = content.length > MAX_LINE_CHARS ? 'the line is too long' : parseLine(content)
    if (typeof parsed === 'string') problems.push({ line: index + 1, about: parsed })
    else entries.push({ key: parsed.key, value: parsed.value, line: index + 1 })
  }
  return { entries, problems }
}

/** Returns the key and value of a line, or a description of the problem. */
function parseLine(content: string): { key: string; value: string } | string {
  const equals = content.indexOf('=')
  if (equals <= 0) return 'expected KEY=VALUE'
  const key = content.slice(0, equals).trim()
  const value = stripComment(content.slice(equals + 1)).trim()
  if (key.length > MAX_KEY_CHARS) return `the key is longer than ${MAX_KEY_CHARS} characters`
  if (value.length > MAX_VALUE_CHARS) return `the value of ${key} is longer than ${MAX_VALUE_CHARS} characters`
  // Settings are printed, and terminals interpret control characters.
  if (hasControlCharacters(content)) return 'the line contains control characters'
  return { key, value }
}

function hasControlCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}

function stripComment(value: string): string {
  if (value.startsWith('#')) return ''
  const comment = value.search(/\s#/)
  return comment === -1 ? value : value.slice(0, comment)
}
