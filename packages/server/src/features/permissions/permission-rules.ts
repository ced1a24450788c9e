// Permission rules in the format of Claude Code's settings, such as `Bash(npm run *)`: parses a rule and matches it against
// a command. Used by evaluate-command and rule-files. Pure.

import { basename } from 'node:path'

import type { SimpleCommand } from './parse-command.js'
import { UNKNOWN } from './shell-words.js'

export type RuleKind = 'deny' | 'ask' | 'allow'

export interface PermissionRule {
  readonly kind: RuleKind
  /** As it is written. */
  readonly text: string
  /** The file that has it. */
  readonly source: string
  /** The words of a command, in which `*` matches any text. */
  readonly pattern: string
}

const TOOLS = new Set(['Bash', 'BackgroundBash'])

/** Undefined for a rule about another tool; a string says what is wrong with the rule. */
export function parseRule(text: string, kind: RuleKind, source: string): PermissionRule | string | undefined {
  const [, tool = '', specifier] = /^(\w+)(?:\((.*)\))?$/s.exec(text.trim()) ?? []
  if (tool === '') return `${JSON.stringify(text)} is not a rule; expected Bash or Bash(command *)`
  if (!TOOLS.has(tool)) return undefined
  const pattern = (specifier ?? '*').trim().replace(/:\*$/, ' *').replace(/\s+/g, ' ')
  if (pattern === '') return `${text} has no command; write Bash for every command`
  // Each command of a list or pipeline is matched by itself.
  if (/[;|&<>\n]|\$\(|`/.test(pattern)) return `${text} has an operator; write one rule for each command`
  return { kind, text: text.trim(), source, pattern }
}

/** The texts of a command that rules are compared with. */
export interface CommandTexts {
  readonly words: string
  /** Also by the name of its program instead of its path, and as it is written. */
  readonly all: readonly string[]
}

export function textsOf({ words, written }: Pick<SimpleCommand, 'words' | 'written'>): CommandTexts {
  const [program = '', ...args] = words
  const text = commandText(words)
  const asWritten = written === undefined ? [] : [written.replace(/\s+/g, ' ')]
  return {
    words: text,
    all: [...new Set([text, commandText([basename(program), ...args]), words.join(' '), ...asWritten])],
  }
}

/** Whether the rule covers the command whatever its unknown parts become. */
export function coversCommand(rule: PermissionRule, texts: CommandTexts): boolean {
  return patternsOf(rule).some((pattern) => matches(pattern, texts.words))
}

/** How many more steps comparisons may take. */
export interface StepBudget {
  steps: number
}

/** Whether the command could be what the rule names. True if the budget does not suffice to find out. */
export function mayMatchCommand(rule: PermissionRule, { all }: CommandTexts, budget: StepBudget): boolean {
  return patternsOf(rule).some((pattern) => all.some((text) => mayMatch(pattern, text, budget)))
}

/** A rule for the command as it stands. */
export function exactRule({ words }: SimpleCommand): string {
  return `Bash(${commandText(words)})`
}

/** `npm run *` also matches `npm run`. */
function patternsOf({ pattern }: PermissionRule): readonly string[] {
  return pattern.endsWith(' *') ? [pattern, pattern.slice(0, -2)] : [pattern]
}

/** Words with special characters are quoted, so that the words of a rule match whole words only. */
function commandText(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./~\0-]+$/.test(word) ? word : `'${word.replaceAll("'", QUOTE)}'`)).join(' ')
}

const QUOTE = String.raw`'\''`

/** `*` stands for any text. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** Whether the text could be one that the pattern stands for, whatever its unknown parts become. */
function mayMatch(pattern: string, text: string, budget: StepBudget): boolean {
  if (!text.includes(UNKNOWN)) return matches(pattern, text)
  // row[at]: the pattern so far and the first `at` characters of the text stand for a common text.
  const row = new Uint8Array(text.length + 1).fill(1, 0, 1 + (/^\0*/.exec(text)?.[0].length ?? 0))
  // Nothing is marked outside of these positions.
  let [from, to] = [0, row.lastIndexOf(1)]
  for (const character of pattern) {
    let before = 0
    const end = Math.min(character === '*' ? text.length : to + 1, text.length)
    budget.steps -= end - from + 1
    if (budget.steps < 0) return true
    let at = from
    for (; at <= end || (at <= text.length && text[at - 1] === UNKNOWN && row[at - 1] === 1); at++) {
      const marked = row[at] ?? 0
      if (character === '*' || (at > 0 && text[at - 1] === UNKNOWN))
        row[at] = marked | (at > from ? (row[at - 1] ?? 0) : 0)
      else row[at] = character === text[at - 1] ? before : 0
      before = marked
    }
    to = row.lastIndexOf(1, at - 1)
    from = row.indexOf(1, from)
    if (from === -1 || to < from) return false
  }
  return row[text.length] === 1
}
