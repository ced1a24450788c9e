// Where a text stops being JSON, which engines say in words of their own or not at all. One walk over the characters, with
// the open brackets in a list: the depth of a text costs no stack.

/** The index of the first character that cannot stand there; the length of the text where it merely ends too early. */
export function jsonErrorAt(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = past(SPACE, text, at)
    const found = text[at]
    if (found === undefined) return at
    if (expected === 'value' || expected === 'value or end') {
      if (found === ']' && expected === 'value or end') open.pop()
      else if (found === '[' || found === '{') open.push(found)
      else {
        const scalar = readScalar(text, at)
        if (!scalar.isWhole) return scalar.end
        at = scalar.end - 1
      }
      expected = found === '[' ? 'value or end' : found === '{' ? 'key or end' : 'comma or end'
    } else if (found === '"' && expected.startsWith('key')) {
      const key = readString(text, at)
      if (!key.isWhole) return key.end
      at = key.end - 1
      expected = 'colon'
    } else if (found === ':' && expected === 'colon') {
      expected = 'value'
    } else if (found === ',' && expected === 'comma or end' && open.length > 0) {
      expected = open.at(-1) === '{' ? 'key' : 'value'
    } else if (isEnd(found, expected, open.at(-1))) {
      open.pop()
      expected = 'comma or end'
    } else {
      return at
    }
    at++
  }
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

interface Read {
  /** Behind its last character that can stand there. */
  readonly end: number
  readonly isWhole: boolean
}

const SPACE = /[ \t\n\r]*/y
/** As much as may still become a number. */
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.(?!\d)|(?:\.\d+)?(?:[eE][+-]?\d*)?))?/y
// oxlint-disable-next-line no-control-regex -- these are what a string may not hold
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y
const NAMES = ['true', 'false', 'null']

function isEnd(found: string, expected: Expected, inside: string | undefined): boolean {
  if (found === '}') return inside === '{' && (expected === 'key or end' || expected === 'comma or end')
  return found === ']' && inside === '[' && expected === 'comma or end'
}

function readScalar(text: string, start: number): Read {
  if (text[start] === '"') return readString(text, start)
  const name = NAMES.find((each) => each[0] === text[start])
  if (name !== undefined) {
    let end = start
    while (end - start < name.length && text[end] === name[end - start]) end++
    return { end, isWhole: end - start === name.length }
  }
  const end = past(NUMBER, text, start)
  return { end, isWhole: /\d/.test(text[end - 1] ?? '') && end > start }
}

function readString(text: string, start: number): Read {
  let end = start + 1
  for (;;) {
    end = past(PLAIN, text, end)
    if (text[end] === '"') return { end: end + 1, isWhole: true }
    const next = past(ESCAPE, text, end)
    const isHalf = next - end === 1 || (text[end + 1] === 'u' && next - end < 6)
    if (next === end || isHalf) return { end: next, isWhole: false }
    end = next
  }
}

/** Behind what fits at a place; it may be nothing. */
function past(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}
