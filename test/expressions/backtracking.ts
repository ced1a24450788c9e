// A model of a backtracking regular expression engine that counts its steps. Times depend on the machine and its load;
// the number of steps does not. Parses the syntax of JavaScript and matches as its specification describes.

/** Chars that are tried in place of all others; those of the expression are added. */
const PALETTE = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('\u00A0\u00B7é£\u0301\u0627\u0660\u200B\u200D\u2028\u202E\u3000中가Ａ\uFE0F\uFEFF\u{1F600}'),
  '\uD83D',
  '\uDE00',
]
/** Large bounded repeats count as this many: they multiply the steps by a constant. */
const MAX_BOUND = 16

export interface Expression {
  readonly source: string
  readonly flags: string
}

export type RegexNode =
  | { readonly kind: 'char'; readonly matches: (char: string) => boolean }
  | { readonly kind: 'assertion'; readonly source: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'look'; readonly behind: boolean; readonly negative: boolean; readonly body: RegexNode }
  | { readonly kind: 'group'; readonly index: number | undefined; readonly body: RegexNode }
  | { readonly kind: 'backreference'; readonly name: string }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly RegexNode[] }
  | Repeat

export interface Repeat {
  readonly kind: 'repeat'
  readonly body: RegexNode
  readonly min: number
  readonly max: number
  readonly lazy: boolean
}

export interface ParsedExpression extends Expression {
  readonly root: RegexNode
  readonly groupNames: ReadonlyMap<string, number>
  /** Without them, the captures have no effect on a match. */
  readonly hasBackreferences: boolean
  /** One character for each set of characters that the expression does not tell apart. */
  readonly alphabet: readonly string[]
}

export function parseExpression({ source, flags }: Expression): ParsedExpression {
  const parser = new Parser(source, flags)
  const root = parser.parseChoice()
  if (!parser.isAtEnd) throw new Error(`cannot parse /${source}/${flags} at ${parser.position}`)
  const { groupNames, hasBackreferences, charTests } = parser
  return { source, flags, root, groupNames, hasBackreferences, alphabet: findAlphabet(source, charTests) }
}

function findAlphabet(source: string, tests: readonly ((char: string) => boolean)[]): readonly string[] {
  const bySignature = new Map<string, string>()
  for (const char of new Set([...Array.from(`ax1 \n${source}`), ...PALETTE])) {
    const signature = tests.map((test) => (test(char) ? '1' : '0')).join('')
    if (!bySignature.has(signature)) bySignature.set(signature, char)
  }
  return [...bySignature.values()]
}

class Parser {
  position = 0
  readonly groupNames = new Map<string, number>()
  readonly charTests: ((char: string) => boolean)[] = []
  hasBackreferences = false
  #groups = 0

  constructor(
    private readonly source: string,
    private readonly flags: string,
  ) {}

  get isAtEnd(): boolean {
    return this.position >= this.source.length
  }

  parseChoice(): RegexNode {
    const branches = [this.#parseSequence()]
    while (this.#take('|')) branches.push(this.#parseSequence())
    return branches.length === 1 && branches[0] ? branches[0] : { kind: 'choice', branches }
  }

  #parseSequence(): RegexNode {
    const parts: RegexNode[] = []
    while (!this.isAtEnd && !this.source.startsWith('|', this.position) && !this.source.startsWith(')', this.position))
      parts.push(this.#parseRepeat(this.#parseAtom()))
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'sequence', parts }
  }

  #parseRepeat(body: RegexNode): RegexNode {
    const [, bounds] = this.#match(/([*+?]|\{\d+(?:,\d*)?\})/y) ?? []
    if (bounds === undefined) return body
    const lazy = this.#take('?')
    const [least = '0', most = least] = bounds.slice(1, -1).split(',')
    const fixed: Record<string, readonly [number, number]> = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }
    const [min, max] = fixed[bounds] ?? [Number(least), most === '' ? Infinity : Number(most)]
    const bounded = max === Infinity ? max : Math.min(max, MAX_BOUND)
    return { kind: 'repeat', body, min: Math.min(min, MAX_BOUND), max: bounded, lazy }
  }

  #parseAtom(): RegexNode {
    const assertion = this.#match(/[$^]|\\b|\\B/y)?.[0]
    if (assertion === '^' || assertion === '$' || assertion === '\\b' || assertion === '\\B')
      return { kind: 'assertion', source: assertion }
    const look = this.#match(/\(\?(<?)([=!])/y)
    if (look) return { kind: 'look', behind: look[1] === '<', negative: look[2] === '!', body: this.#parseGroupBody() }
    const named = this.#match(/\(\?<([\w$]+)>/y)
    if (named || (this.source.startsWith('(', this.position) && !this.source.startsWith('(?', this.position))) {
      if (!named) this.position++
      const index = ++this.#groups
      if (named?.[1] !== undefined) this.groupNames.set(named[1], index)
      return { kind: 'group', index, body: this.#parseGroupBody() }
    }
    if (this.#match(/\(\?:/y)) return { kind: 'group', index: undefined, body: this.#parseGroupBody() }
    const reference = this.#match(/\\(?:k<([\w$]+)>|([1-9]\d*))/y)
    if (!reference) return this.#parseChar()
    this.hasBackreferences = true
    return { kind: 'backreference', name: reference[1] ?? reference[2] ?? '' }
  }

  #parseGroupBody(): RegexNode {
    const body = this.parseChoice()
    if (!this.#take(')')) throw new Error(`unclosed group in /${this.source}/`)
    return body
  }

  #parseChar(): RegexNode {
    const raw = this.source.startsWith('[', this.position) ? this.#takeClass() : this.#takeSingle()
    const single = new RegExp(`^(?:${raw})$`, this.flags.replace(/[dgmy]/g, ''))
    const known = new Map<string, boolean>()
    const matches = (char: string): boolean => {
      const before = known.get(char)
      if (before !== undefined) return before
      const isMatch = single.test(char)
      known.set(char, isMatch)
      return isMatch
    }
    this.charTests.push(matches)
    return { kind: 'char', matches }
  }

  #takeClass(): string {
    const start = this.position
    let depth = 0
    do {
      const char = this.source[this.position]
      if (char === undefined) throw new Error(`unclosed class in /${this.source}/`)
      if (char === '\\') this.position++
      else if (char === '[' && (depth === 0 || this.flags.includes('v'))) depth++
      else if (char === ']') depth--
      this.position++
    } while (depth > 0)
    return this.source.slice(start, this.position)
  }

  #takeSingle(): string {
    const escapes = /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[^])|[^]/y
    const unicode = /[uv]/.test(this.flags)
      ? this.#match(/\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}/y)
      : null
    const raw = (unicode ??
      this.#match(new RegExp(escapes.source, `${escapes.flags}${/[uv]/.test(this.flags) ? 'u' : ''}`)))?.[0]
    if (raw === undefined) throw new Error(`unexpected end of /${this.source}/`)
    return raw
  }

  #take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false
    this.position += text.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.source)
    if (found) this.position += found[0].length
    return found
  }
}

/** More steps than allowed. */
class TooManySteps extends Error {}

/**
 * The steps of a search: of the first match, or with `all` of all matches up to the end. Infinity if there are more than
 * `maxSteps`.
 */
export function countSteps(parsed: ParsedExpression, text: string, all: boolean, maxSteps: number): number {
  const { root, flags } = parsed
  const matcher = new Matcher(toCharacters(text, flags), parsed, maxSteps)
  try {
    let start = 0
    while (start <= matcher.chars.length) {
      const end = matcher.matchAt(root, start)
      // A sticky search ends where it does not advance; any other is repeated only if all matches are wanted.
      if (flags.includes('y') && (end === undefined || end === start)) break
      if (end !== undefined && !all) break
      start = end === undefined || end === start ? start + 1 : end
    }
    return matcher.steps
  } catch (error) {
    if (error instanceof TooManySteps) return Infinity
    throw error
  }
}

/** The text of the first match. */
export function findMatch(parsed: ParsedExpression, text: string): string | undefined {
  const { root, flags } = parsed
  const matcher = new Matcher(toCharacters(text, flags), parsed, Infinity)
  for (let start = 0; start <= matcher.chars.length; start++) {
    const end = matcher.matchAt(root, start)
    if (end !== undefined) return matcher.chars.slice(start, end).join('')
  }
  return undefined
}

/** Code points or code units, as the flags say. */
function toCharacters(text: string, flags: string): readonly string[] {
  return /[uv]/.test(flags) ? Array.from(text) : text.split('')
}

const knownGroups = new WeakMap<RegexNode, readonly number[]>()

/** The numbers of the groups in a part of an expression. */
function groupsOf(node: RegexNode): readonly number[] {
  const known = knownGroups.get(node)
  if (known) return known
  const parts = node.kind === 'sequence' ? node.parts : node.kind === 'choice' ? node.branches : []
  const inner = 'body' in node ? [node.body] : parts
  const own = node.kind === 'group' && node.index !== undefined ? [node.index] : []
  const groups = [...own, ...inner.flatMap(groupsOf)]
  knownGroups.set(node, groups)
  return groups
}

type Continue = (at: number) => boolean

class Matcher {
  steps = 0
  #captures = new Map<number, readonly [number, number]>()

  constructor(
    readonly chars: readonly string[],
    private readonly expression: ParsedExpression,
    private readonly maxSteps: number,
  ) {}

  /** The end of the match that begins at `start`. */
  matchAt(root: RegexNode, start: number): number | undefined {
    this.#captures = new Map()
    let end: number | undefined
    this.#match(root, start, 1, (at) => {
      end = at
      return true
    })
    return end
  }

  /** `direction` is -1 inside of a lookbehind. */
  #match(node: RegexNode, at: number, direction: 1 | -1, next: Continue): boolean {
    if (++this.steps > this.maxSteps) throw new TooManySteps()
    switch (node.kind) {
      case 'char': {
        const char = this.chars[direction === 1 ? at : at - 1]
        return char !== undefined && node.matches(char) && next(at + direction)
      }
      case 'assertion':
        return this.#holds(node.source, at) && next(at)
      case 'look': {
        const before = this.expression.hasBackreferences ? new Map(this.#captures) : this.#captures
        const isMatch = this.#match(node.body, at, node.behind ? -1 : 1, () => true)
        if (isMatch === node.negative) return false
        if (node.negative) this.#captures = before
        return next(at)
      }
      case 'group': {
        const { index } = node
        if (index === undefined || !this.expression.hasBackreferences)
          return this.#match(node.body, at, direction, next)
        return this.#match(node.body, at, direction, (end) => {
          const before = this.#captures.get(index)
          this.#captures.set(index, [Math.min(at, end), Math.max(at, end)])
          if (next(end)) return true
          if (before) this.#captures.set(index, before)
          else this.#captures.delete(index)
          return false
        })
      }
      case 'backreference':
        return this.#matchBackreference(node.name, at, direction, next)
      case 'sequence':
        return this.#matchSequence(node.parts, direction === 1 ? 0 : node.parts.length - 1, at, direction, next)
      case 'choice':
        return node.branches.some((branch) => this.#match(branch, at, direction, next))
      case 'repeat':
      default:
        return node.body.kind === 'char'
          ? this.#repeatChar(node, node.body.matches, at, direction, next)
          : this.#repeat(node, 0, at, direction, next)
    }
  }

  #matchSequence(parts: readonly RegexNode[], index: number, at: number, direction: 1 | -1, next: Continue): boolean {
    const part = parts[index]
    if (part === undefined) return next(at)
    return this.#match(part, at, direction, (end) =>
      this.#matchSequence(parts, index + direction, end, direction, next),
    )
  }

  #repeat(node: Repeat, count: number, at: number, direction: 1 | -1, next: Continue): boolean {
    const { body, min, max, lazy } = node
    const more = (): boolean => {
      if (count >= max) return false
      const before = this.#captures
      // Each round starts without the captures of the one before.
      if (this.expression.hasBackreferences)
        this.#captures = new Map([...before].filter(([index]) => !groupsOf(body).includes(index)))
      const isMatch = this.#match(body, at, direction, (end) =>
        end === at && count >= min ? false : this.#repeat(node, count + 1, end, direction, next),
      )
      if (!isMatch) this.#captures = before
      return isMatch
    }
    if (count < min) return more()
    return lazy ? next(at) || more() : more() || next(at)
  }

  /** The same without recursion. */
  #repeatChar(
    { min, max, lazy }: Repeat,
    matches: (char: string) => boolean,
    at: number,
    direction: 1 | -1,
    next: Continue,
  ): boolean {
    const hasNext = (count: number): boolean => {
      if (++this.steps > this.maxSteps) throw new TooManySteps()
      const char = this.chars[direction === 1 ? at + count : at - count - 1]
      return count < max && char !== undefined && matches(char)
    }
    let count = 0
    while (count < min) {
      if (!hasNext(count)) return false
      count++
    }
    if (lazy) {
      while (!next(at + count * direction)) if (!hasNext(count++)) return false
      return true
    }
    while (hasNext(count)) count++
    for (; count >= min; count--) if (next(at + count * direction)) return true
    return false
  }

  #matchBackreference(name: string, at: number, direction: 1 | -1, next: Continue): boolean {
    const captured = this.#captures.get(this.expression.groupNames.get(name) ?? Number(name))
    if (!captured) return next(at)
    const text = this.chars.slice(...captured)
    this.steps += text.length
    const start = direction === 1 ? at : at - text.length
    return text.every((char, index) => this.chars[start + index] === char) && next(at + text.length * direction)
  }

  #holds(assertion: '^' | '$' | '\\b' | '\\B', at: number): boolean {
    const isLineEnd = (char: string | undefined): boolean =>
      char === undefined || (this.expression.flags.includes('m') && /[\n\r\u2028\u2029]/.test(char))
    if (assertion === '^') return isLineEnd(this.chars[at - 1])
    if (assertion === '$') return isLineEnd(this.chars[at])
    const isWord = (char = ''): boolean => /\w/.test(char)
    return (isWord(this.chars[at - 1]) !== isWord(this.chars[at])) === (assertion === '\\b')
  }
}
