// A SKILL.md taken apart: bytes → text → what stands between the lines of dashes, and the text that follows.

export interface Parts {
  /** Without the lines of dashes; undefined where there is none. */
  readonly frontmatter: string | undefined
  /** Without empty lines before it. */
  readonly body: string
}

export interface Decoded {
  readonly text: string
  /** Whether it was UTF-8; what was not is taken for Latin-1. */
  readonly isUtf8: boolean
}

export function decode(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true }
  } catch {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'windows-1252'
    return { text: new TextDecoder(encoding).decode(bytes), isUtf8: false }
  }
}

export function takeApart(text: string): Parts {
  const [first = '', ...lines] = text.replaceAll(/\r\n?/g, '\n').split('\n')
  if (first.trimEnd() !== '---') return { frontmatter: undefined, body: text }
  const end = lines.findIndex((line) => /^(---|\.\.\.)\s*$/.test(line))
  if (end === -1) return { frontmatter: undefined, body: text }
  const body = lines.slice(end + 1).join('\n')
  return { frontmatter: lines.slice(0, end).join('\n'), body: body.replace(/^(?:[ \t]*\n)+/, '') }
}
