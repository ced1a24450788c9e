// Attacks an expression with strings derived from it: for each unbounded repeat, what leads to it, what it repeats, many
// times, and something that makes the match fail.

import { countSteps, type Expression, parseExpression, type ParsedExpression, type RegexNode } from './backtracking.js'

/** Four times the text may take four times the steps; sixteen times would be quadratic. */
const MAX_GROWTH = 7
const MAX_STEPS = 1_000_000
const MAX_SAMPLES = 6
const MAX_ALPHABET = 40

/** A text on which the steps grow faster than its length. */
export interface Attack {
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
  /** How much longer the search takes on four times the text; Infinity if it was given up. */
  readonly growth: number
}

/** `all`: the search continues after a match, as that of `replace` with the g flag and of `split` does. */
export function findAttack(expression: Expression, all: boolean): Attack | undefined {
  const parsed = parseExpression(expression)
  let worst: Attack | undefined
  for (const attack of createAttacks(parsed)) {
    const growth = measureGrowth(parsed, attack, all)
    if (growth > MAX_GROWTH && growth > (worst?.growth ?? 0)) worst = { ...attack, growth }
    if (growth === Infinity) break
  }
  return worst
}

/** Short texts that lead into the expression. */
export function sampleTexts(parsed: ParsedExpression): readonly string[] {
  const whole = samplesOf(parsed.root, parsed.alphabet)
  const attacks = createAttacks(parsed).filter((_, at) => at % 7 === 0)
  const pumped = attacks.slice(0, 30).map(({ prefix, pump, suffix }) => `${prefix}${pump.repeat(3)}${suffix}`)
  return [...whole, ...whole.map((text) => `x ${text}\ny`), ...pumped]
}

function measureGrowth(parsed: ParsedExpression, attack: Omit<Attack, 'growth'>, all: boolean): number {
  const { prefix, pump, suffix } = attack
  const repeats = pumpRepeats(attack)
  const stepsOf = (count: number): number =>
    countSteps(parsed, `${prefix}${pump.repeat(count)}${suffix}`, all, MAX_STEPS)
  const long = stepsOf(4 * repeats)
  return long === Infinity ? Infinity : long / stepsOf(repeats)
}

/** Fewer of a long text, because the model recurses with it. */
function pumpRepeats({ pump }: Omit<Attack, 'growth'>): number {
  return pump.length < 4 ? 30 : 15
}

function createAttacks(parsed: ParsedExpression): readonly Omit<Attack, 'growth'>[] {
  const { root, alphabet } = parsed
  const repeats = findRepeats(root, [''], alphabet)
  if (repeats.length === 0) return []
  const chars = alphabet.slice(0, MAX_ALPHABET)
  const suffixes = ['', ...unmatched(parsed), '\n', 'x!', ...listRejected(root, alphabet)]
  const attacks = new Map<string, Omit<Attack, 'growth'>>()
  for (const { before, samples } of repeats) {
    const joined = before.flatMap((lead) => samples.map((sample) => `${lead}${sample}`))
    const pumps = new Set([...samples, ...before, ...joined, ...chars].filter((pump) => pump !== ''))
    for (const prefix of new Set(['', 'x', ...unmatched(parsed), ...before])) {
      for (const pump of pumps) {
        for (const suffix of new Set(suffixes))
          attacks.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix })
      }
    }
  }
  return [...attacks.values()]
}

/** Characters that no part of the expression matches. */
function unmatched({ root, alphabet }: ParsedExpression): readonly string[] {
  const tests: ((char: string) => boolean)[] = []
  const collect = (node: RegexNode): void => {
    if (node.kind === 'char') tests.push(node.matches)
    else if (node.kind === 'sequence') node.parts.forEach(collect)
    else if (node.kind === 'choice') node.branches.forEach(collect)
    else if ('body' in node) collect(node.body)
  }
  collect(root)
  return alphabet.filter((char) => !tests.some((test) => test(char))).slice(0, 1)
}

/** For each unbounded repeat, a character that ends it; another part of the expression may match it. */
function listRejected(node: RegexNode, alphabet: readonly string[]): readonly string[] {
  if (node.kind === 'sequence') return node.parts.flatMap((part) => listRejected(part, alphabet))
  if (node.kind === 'choice') return node.branches.flatMap((branch) => listRejected(branch, alphabet))
  if (!('body' in node)) return []
  const { body } = node
  const isEndless = node.kind === 'repeat' && node.max === Infinity && body.kind === 'char'
  return isEndless ? alphabet.filter((char) => !body.matches(char)).slice(0, 1) : listRejected(body, alphabet)
}

interface RepeatPlace {
  /** Texts that lead to the repeat. */
  readonly before: readonly string[]
  /** Texts that its body matches. */
  readonly samples: readonly string[]
}

function findRepeats(node: RegexNode, before: readonly string[], alphabet: readonly string[]): readonly RepeatPlace[] {
  switch (node.kind) {
    case 'repeat': {
      const inner = findRepeats(node.body, before, alphabet)
      if (node.max !== Infinity) return inner
      return [{ before, samples: samplesOf(node.body, alphabet) }, ...inner]
    }
    case 'group':
    case 'look':
      return findRepeats(node.body, before, alphabet)
    case 'choice':
      return node.branches.flatMap((branch) => findRepeats(branch, before, alphabet))
    case 'sequence': {
      const found: RepeatPlace[] = []
      let lead = before
      for (const part of node.parts) {
        found.push(...findRepeats(part, lead, alphabet))
        lead = join(lead, samplesOf(part, alphabet))
      }
      return found
    }
    case 'char':
    case 'assertion':
    case 'backreference':
    default:
      return []
  }
}

function samplesOf(node: RegexNode, alphabet: readonly string[]): readonly string[] {
  switch (node.kind) {
    case 'char':
      return alphabet.filter((char) => node.matches(char)).slice(0, MAX_SAMPLES)
    case 'group':
      return samplesOf(node.body, alphabet)
    case 'choice':
      return node.branches.flatMap((branch) => samplesOf(branch, alphabet).slice(0, 2)).slice(0, 2 * MAX_SAMPLES)
    case 'sequence':
      return node.parts.reduce<readonly string[]>((texts, part) => join(texts, samplesOf(part, alphabet)), [''])
    case 'repeat': {
      const samples = samplesOf(node.body, alphabet)
      const least = samples.map((sample) => sample.repeat(node.min))
      return [...new Set(node.min === 0 ? ['', ...samples] : least)].slice(0, MAX_SAMPLES)
    }
    case 'assertion':
    case 'backreference':
    case 'look':
    default:
      return ['']
  }
}

function join(heads: readonly string[], tails: readonly string[]): readonly string[] {
  if (tails.length === 0) return heads
  const longest = Math.max(heads.length, tails.length)
  const pairs = Array.from({ length: longest }, (_, at) => `${heads[at % heads.length]}${tails[at % tails.length]}`)
  return pairs.slice(0, MAX_SAMPLES)
}
