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

/** Whether the rule covers the command whatever its unknown parts become. */
export function coversCommand(rule: PermissionRule, { words }: SimpleCommand): boolean {
  const text = commandText(words)
  return patternsOf(rule).some((pattern) => matches(pattern, text))
}

/** Whether the command could be what the rule names, also by its path or with unknown parts. */
export function mayMatchCommand(rule: PermissionRule, { words, source }: SimpleCommand): boolean {
  const [program = '', ...args] = words
  const asWritten = source.replace(/\s+/g, ' ')
  const texts = [commandText(words), commandText([basename(program), ...args]), words.join(' '), asWritten]
  return patternsOf(rule).some((pattern) => texts.some((text) => mayMatch(pattern, text)))
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
  return words.map((word) => (/^[\w@%+=:,./~\0-]+$/.test(word) ? word : `'${word}'`)).join(' ')
}

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

/** Longer texts with unknown parts are taken to match, because comparing them would take too long. */
const MAX_COMPARED = 2000

/** Whether the text could be one that the pattern stands for, whatever its unknown parts become. */
function mayMatch(pattern: string, text: string): boolean {
  if (!text.includes(UNKNOWN)) return matches(pattern, text)
  if (text.length > MAX_COMPARED) return true
  // row[at]: the pattern so far and the first `at` characters of the text stand for a common text.
  let row = Uint8Array.from({ length: text.length + 1 }, (_, at) => Number(/^\0*$/.test(text.slice(0, at))))
  for (const character of pattern) {
    const next = new Uint8Array(text.length + 1)
    for (let at = 0; at <= text.length; at++) {
      const isUnknown = at > 0 && text[at - 1] === UNKNOWN
      if (character === '*' || isUnknown) next[at] = (row[at] ?? 0) | (next[at - 1] ?? 0)
      else if (character === text[at - 1]) next[at] = row[at - 1] ?? 0
    }
    row = next
  }
  return row[text.length] === 1
}
