// The syntax of scorpiox-env.txt: KEY=VALUE lines, `#` comments (also after a value, behind a space), no quoting.
// Pure: text in, entries and complaints out, each with its line.

const MAX_KEY = 64
const MAX_VALUE = 512
const MAX_LINE = 4096

export interface FileEntry {
  readonly key: string
  readonly value: string
  readonly line: number
}

export interface EnvFile {
  readonly entries: readonly FileEntry[]
  readonly complaints: readonly { readonly line: number; readonly about: string }[]
}

export function parseEnvFile(text: string): EnvFile {
  const entries: FileEntry[] = []
  const complaints: { line: number; about: string }[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, raw] of lines.entries()) {
    const content = raw.trim()
    if (content === '' || content.startsWith('#')) continue
    const read = content.length > MAX_LINE ? 'the line is too long' : parseLine(content)
    if (typeof read === 'string') complaints.push({ line: index + 1, about: read })
    else entries.push({ key: read.key, value: read.value, line: index + 1 })
  }
  return { entries, complaints }
}

/** The key and value of a line, or what is wrong with it. */
function parseLine(content: string): { key: string; value: string } | string {
  const equals = content.indexOf('=')
  if (equals <= 0) return 'expected KEY=VALUE'
  const key = content.slice(0, equals).trim()
  const value = withoutComment(content.slice(equals + 1)).trim()
  if (key.length > MAX_KEY) return `the key is longer than ${MAX_KEY} characters`
  if (value.length > MAX_VALUE) return `the value of ${key} is longer than ${MAX_VALUE} characters`
  // Settings are printed, and a terminal obeys control characters.
  if (hasControls(content)) return 'the line has control characters in it'
  return { key, value }
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}

function withoutComment(value: string): string {
  if (value.startsWith('#')) return ''
  const comment = value.search(/\s#/)
  return comment === -1 ? value : value.slice(0, comment)
}
