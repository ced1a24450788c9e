// Bytes → text, in the charset that the bytes themselves, the header or the page name, in this order.

const MARKS: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]
const IN_HEADER = /charset\s*=\s*"?([\w:.-]+)/i
const IN_PAGE = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i

export function answerText(bytes: Buffer, contentType: string | null): string {
  const mark = MARKS.find(([start]) => start.every((byte, index) => bytes[index] === byte))?.[1]
  return decoded(bytes, mark ?? IN_HEADER.exec(contentType ?? '')?.[1] ?? namedInPage(bytes))
}

function namedInPage(bytes: Buffer): string {
  const [, meta, xml] = IN_PAGE.exec(bytes.toString('latin1', 0, 2048)) ?? []
  return meta ?? xml ?? 'utf-8'
}

function decoded(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    // A charset that nobody knows.
    return new TextDecoder().decode(bytes)
  }
}
