// Decodes a SKILL.md and splits it into frontmatter and body.

export interface ManifestParts {
  /** Without the `---` lines; undefined if there is none. */
  readonly frontmatter: string | undefined
  /** Without leading blank lines. */
  readonly body: string
}

export interface DecodedManifest {
  readonly text: string
  /** False if it was decoded as UTF-16 or Windows-1252. */
  readonly isUtf8: boolean
}

export function decodeManifest(bytes: Uint8Array): DecodedManifest {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true }
  } catch {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'windows-1252'
    return { text: new TextDecoder(encoding).decode(bytes), isUtf8: false }
  }
}

export function splitManifest(text: string): ManifestParts {
  const [first = '', ...lines] = text.replaceAll(/\r\n?/g, '\n').split('\n')
  if (first.trimEnd() !== '---') return { frontmatter: undefined, body: text }
  const end = lines.findIndex((line) => /^(---|\.\.\.)\s*$/.test(line))
  if (end === -1) return { frontmatter: undefined, body: text }
  const body = lines.slice(end + 1).join('\n')
  return { frontmatter: lines.slice(0, end).join('\n'), body: body.replace(/^(?:[ \t]*\n)+/, '') }
}
