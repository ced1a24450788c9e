// Finds the position where a text stops being valid JSON, which engines report inconsistently or not at all. One pass
// with a list of open brackets, so that deep nesting needs no stack. Used for error messages about questions and
// scripts. Pure.

/** Returns the index of the first invalid character, or the length of the text if it ends too early. */
export function findJsonError(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = matchEnd(SPACE, text, at)
    const character = text[at]
    if (character === undefined) return at
    if (expected === 'value' || expected === 'value or end') {
      if (character === ']' && expected === 'value or end') open.pop()
      else if (character === '[' || character === '{') open.push(character)
      else {
        const scalar = readScalar(text, at)
        if (!scalar.isComplete) return scalar.end
        at = scalar.end - 1
      }
      expected = character === '[' ? 'value or end' : character === '{' ? 'key or end' : 'comma or end'
    } else if (character === '"' && expected.startsWith('key')) {
      const key = readString(text, at)
      if (!key.isComplete) return key.end
      at = key.end - 1
      expected = 'colon'
    } else if (character === ':' && expected === 'colon') {
      expected = 'value'
    } else if (character === ',' && expected === 'comma or end' && open.length > 0) {
      expected = open.at(-1) === '{' ? 'key' : 'value'
    } else if (isEnd(character, expected, open.at(-1))) {
      open.pop()
      expected = 'comma or end'
    } else {
      return at
    }
    at++
  }
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

interface Token {
  /** The position after the last valid character. */
  readonly end: number
  readonly isComplete: boolean
}

const SPACE = /[ \t\n\r]*/y
/** Matches a prefix of a number. */
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.(?!\d)|(?:\.\d+)?(?:[eE][+-]?\d*)?))?/y
// oxlint-disable-next-line no-control-regex -- these are what a string may not hold
const UNESCAPED = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y
const LITERALS = ['true', 'false', 'null']

function isEnd(character: string, expected: Expected, inside: string | undefined): boolean {
  if (character === '}') return inside === '{' && (expected === 'key or end' || expected === 'comma or end')
  return character === ']' && inside === '[' && expected === 'comma or end'
}

function readScalar(text: string, start: number): Token {
  if (text[start] === '"') return readString(text, start)
  const name = LITERALS.find((each) => each[0] === text[start])
  if (name !== undefined) {
    let end = start
    while (end - start < name.length && text[end] === name[end - start]) end++
    return { end, isComplete: end - start === name.length }
  }
  const end = matchEnd(NUMBER, text, start)
  return { end, isComplete: /\d/.test(text[end - 1] ?? '') && end > start }
}

function readString(text: string, start: number): Token {
  let end = start + 1
  for (;;) {
    end = matchEnd(UNESCAPED, text, end)
    if (text[end] === '"') return { end: end + 1, isComplete: true }
    const next = matchEnd(ESCAPE, text, end)
    const isIncomplete = next - end === 1 || (text[end + 1] === 'u' && next - end < 6)
    if (next === end || isIncomplete) return { end: next, isComplete: false }
    end = next
  }
}

/** Returns the position after the match at `at`, which may be empty. */
function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}
