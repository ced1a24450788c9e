// Splits a bash command into the simple commands that it runs, also those of substitutions, of `bash -c`, and those that
// programs such as `timeout` or `xargs` start. Whatever is known only when it runs is reported, not guessed. Used by
// evaluate-command. Pure: nothing is run.

import {
  type Assignment,
  type Command,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash'

import { findBuiltinEffects, mayContainCommand } from './builtin-effects.js'
import { assignsExportedVariable, isSafeVariable, UNKNOWN } from './shell-words.js'
import { findStartedCommand, type StartedCommand } from './started-command.js'

/** One program or builtin with its arguments. */
export interface SimpleCommand {
  /** As it stands in the source, for messages. */
  readonly source: string
  /** Undefined if another command starts it. */
  readonly written: string | undefined
  /** The unquoted words; an unknown part is `UNKNOWN`. */
  readonly words: readonly string[]
  /** Why no rule can allow it: it does more than its words say. */
  readonly reservations: readonly string[]
  /** The commands that it starts decide; it needs no rule of its own. */
  readonly isTransparent: boolean
}

export interface ParsedCommand {
  readonly commands: readonly SimpleCommand[]
  /** Why a command could be hidden in it. */
  readonly problems: readonly string[]
  /** Why no rule can allow it, besides those of its commands. */
  readonly reservations: readonly string[]
}

/** Longer ones would take the time of others. */
const MAX_CHARS = 20_000
const MAX_COMMANDS = 1000
const MAX_NESTED_SCRIPTS = 5

/** `isExported` says whether the environment of commands has a variable. */
export function parseCommand(command: string, isExported: (name: string) => boolean): ParsedCommand {
  const collector: Collector = { commands: [], problems: new Set(), reservations: new Set(), isExported, nesting: 0 }
  const { commands, problems, reservations } = collector
  if (command.length > MAX_CHARS) problems.add(`it is longer than ${MAX_CHARS} characters`)
  else if (mayTakeLong(command)) problems.add('it has too many substitutions, groups or here-documents for its length')
  else tryCollectScript(command, collector)
  if (commands.length >= MAX_COMMANDS) problems.add(`it has more than ${MAX_COMMANDS} commands`)
  return { commands, problems: [...problems], reservations: [...reservations] }
}

/** The parser may read the rest of the text for each of these. */
const OPENERS = /[({`]|<</g
const MAX_STEPS = 10_000_000

function mayTakeLong(command: string): boolean {
  return command.length * (command.match(OPENERS) ?? []).length > MAX_STEPS
}

function tryCollectScript(command: string, collector: Collector): void {
  try {
    collectScript(command, collector)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // The parser is recursive.
    collector.problems.add('commands are nested too deeply')
  }
}

interface Collector {
  readonly commands: SimpleCommand[]
  readonly problems: Set<string>
  readonly reservations: Set<string>
  readonly isExported: (name: string) => boolean
  readonly nesting: number
}

// Bash treats other whitespace and control characters as parts of words; a reader does not see them.
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f]|(?! )[\p{Z}\p{Cf}]/u

function collectScript(source: string, collector: Collector): void {
  if (INVISIBLE.test(source)) collector.problems.add('it contains invisible characters')
  collectNode(parse(source), { source, collector })
}

interface Scope {
  /** What the positions of nodes refer to. */
  readonly source: string
  readonly collector: Collector
}

function collectNode(node: SyntaxNode, scope: Scope): void {
  const { collector } = scope
  if (collector.commands.length >= MAX_COMMANDS) return
  const inner = node.type === 'Script' ? enterScript(node, scope) : scope
  if (node.type === 'Command') collectCommand(node, scope)
  else collectSideEffects(node, collector)
  forEachChild(node, (child) => collectNode(child, inner))
}

function enterScript({ errors = [], source }: ParsedScript, scope: Scope): Scope {
  for (const { message } of errors) scope.collector.problems.add(`it is not valid bash (${message})`)
  return source === undefined ? scope : { ...scope, source }
}

function collectSideEffects(node: SyntaxNode, { problems, reservations, isExported }: Collector): void {
  const { type } = node
  if (type === 'Function') problems.add(`it defines the function ${node.name.text}`)
  else if (type === 'Coproc') reservations.add('it starts a coprocess')
  else if (type === 'For' || type === 'Select') {
    if (assignsExportedVariable(node.name.text, isExported)) reservations.add(`it sets ${node.name.text}`)
  } else if (type === 'ParameterExpansion') collectExpansion(node, reservations, isExported)
  else if (calculatesWithVariables(node)) reservations.add(ARITHMETIC)
}

/** Bash evaluates the text of a variable as an expression, in which a subscript may contain a command. */
const ARITHMETIC = 'it calculates with variables, whose text may contain commands'

function calculatesWithVariables(node: SyntaxNode): boolean {
  if (node.type === 'ArithmeticWord') return !/^(?:0x[\da-f]+|\d+(?:#\w+)?)$/i.test(node.value)
  if (node.type === 'TestUnary') return node.operator === '-v' || node.operator === '-R'
  return node.type === 'TestBinary' && /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)
}

function collectExpansion(
  { parameter, index, operation }: ParameterExpansionPart,
  reservations: Set<string>,
  isExported: (name: string) => boolean,
): void {
  if (index !== undefined && !/^(?:@|\*|\d+)$/.test(index.text)) reservations.add(ARITHMETIC)
  if (operation?.type === 'Slice') reservations.add(ARITHMETIC)
  if (operation?.type === 'Transform' && operation.operand.text === 'P') reservations.add('it expands a prompt')
  const assigns = operation?.type === 'Default' && operation.operator.endsWith('=')
  if (assigns && assignsExportedVariable(parameter, isExported)) reservations.add(`it sets ${parameter}`)
}

function collectCommand(command: Command, { source, collector }: Scope): void {
  const { problems, isExported } = collector
  const words = [command.name, ...command.args].flatMap((word) => (word === undefined ? [] : [wordText(word)]))
  const name = words[0]
  const assignments = [...command.prefix, ...command.suffix].filter((part) => part.type === 'Assignment')
  const reservations = [
    ...assignments.flatMap((assignment) => checkAssignment(assignment, name !== undefined, isExported)),
    ...command.redirects.flatMap(checkRedirection),
    ...findBuiltinEffects({ words, maySplit: command.args.some(isSplittable), isExported }),
  ]
  if (name === undefined) {
    for (const reason of reservations) collector.reservations.add(reason)
    return
  }
  const started = findStartedCommand(words)
  const written = source.slice(command.pos, command.end)
  const text = shorten(written)
  collector.commands.push({
    source: text,
    written,
    words,
    reservations,
    isTransparent: started?.isTransparent === true,
  })
  if (name.includes(UNKNOWN)) problems.add(`the program of \`${text}\` is known only when it runs`)
  if (started !== undefined) collectStarted(started, text, collector)
}

function collectStarted(started: StartedCommand, source: string, collector: Collector): void {
  const { problems, nesting } = collector
  const nested = { ...collector, nesting: nesting + 1 }
  if (nesting >= MAX_NESTED_SCRIPTS) problems.add('commands are nested too deeply')
  else if (started.problem !== undefined) problems.add(`${started.problem} in \`${source}\``)
  else if (started.script !== undefined) collectScript(started.script, nested)
  else for (const words of started.commands) collectWords(words, source, started.reservations ?? [], nested)
}

const MAX_SHOWN = 500

/** For messages. */
function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

/** A command that another one starts with these words. */
function collectWords(
  words: readonly string[],
  source: string,
  inherited: readonly string[],
  collector: Collector,
): void {
  const { commands, problems, isExported } = collector
  const [name] = words
  if (name === undefined || commands.length >= MAX_COMMANDS) return
  const started = findStartedCommand(words)
  const maySplit = words.some((word) => word.includes(UNKNOWN))
  const reservations = [...inherited, ...findBuiltinEffects({ words, maySplit, isExported })]
  commands.push({ source, written: undefined, words, reservations, isTransparent: started?.isTransparent === true })
  if (name.includes(UNKNOWN)) problems.add(`the program that \`${source}\` starts is known only when it runs`)
  if (started !== undefined) collectStarted(started, source, collector)
}

function wordText(word: Word | Assignment): string {
  if (word.type === 'Word') return word.parts === undefined ? word.value : word.parts.map(partText).join('')
  const value = word.value.type === 'Word' ? wordText(word.value) : UNKNOWN
  return `${word.name}${word.index === undefined ? '' : UNKNOWN}${word.append === true ? '+' : ''}=${value}`
}

/** An expansion that is not quoted may become several words. */
function isSplittable(word: Word | Assignment): boolean {
  const parts = word.type === 'Word' ? word.parts : undefined
  return parts?.some(({ type }) => EXPANSIONS.has(type)) === true
}

const EXPANSIONS: ReadonlySet<WordPart['type']> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'BraceExpansion',
] as const)

function partText(part: WordPart): string {
  const { type } = part
  if (type === 'DoubleQuoted') return part.parts.map(partText).join('')
  return type === 'Literal' || type === 'SingleQuoted' || type === 'AnsiCQuoted' ? part.value : UNKNOWN
}

function checkAssignment(
  { name, value, index }: Assignment,
  isForCommand: boolean,
  isExported: (name: string) => boolean,
): readonly string[] {
  if (index !== undefined) return [ARITHMETIC]
  // The variables before a command become its environment; others change only those that are exported already.
  const isHarmless = isForCommand ? isSafeVariable(name) : !assignsExportedVariable(name, isExported)
  if (!isHarmless) return [`it sets ${name}`]
  const text = value.type === 'Word' ? wordText(value) : ''
  return mayContainCommand(text) ? [`the value of ${name} may contain commands`] : []
}

function checkRedirection(redirection: Redirection): readonly string[] {
  if (redirection.type !== 'Redirect') return ['it is given text as input']
  const target = redirection.target === undefined ? UNKNOWN : wordText(redirection.target)
  if (target === '/dev/null') return []
  if ((redirection.operator === '>&' || redirection.operator === '<&') && /^(?:\d+|-)$/.test(target)) return []
  return [redirection.operator === '<' ? `it reads from ${shown(target)}` : `it writes to ${shown(target)}`]
}

function shown(text: string): string {
  return text.includes(UNKNOWN) ? 'a file that is known only when it runs' : text
}
