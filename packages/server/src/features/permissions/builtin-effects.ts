// Determines which builtins of bash do more than their words say: they evaluate the name of a variable, in which a
// subscript may contain a command, change the environment of later commands, or how bash reads them. Used by
// parse-command. Pure.

import { assignsExportedVariable, isSafeVariable, UNKNOWN } from './shell-words.js'

export interface BuiltinCall {
  readonly words: readonly string[]
  /** A word may become several, because an expansion in it is not quoted. */
  readonly maySplit: boolean
  readonly isExported: (name: string) => boolean
}

/** Why no rule can allow the command; empty if it is no builtin, or has no such effect. */
export function findBuiltinEffects({ words, maySplit, isExported }: BuiltinCall): readonly string[] {
  const [name = '', ...args] = words
  const reason = `${name} may run commands in its arguments`
  if (name === 'set' || name === 'shopt') return changesShell(name, args) ? ['it changes how commands are read'] : []
  if (name === 'let') return [reason]
  if (name === 'printf') return checkPrintf(args, isExported)
  if (DECLARING.has(name)) return [...checkSubscripts(args, reason), ...checkDeclaration(name, args, isExported)]
  if (name === 'test' || name === '[')
    return maySplit || testsUnknownVariable(args) ? [reason] : checkSubscripts(args, reason)
  if (!NAMING.has(name)) return []
  return [
    ...checkSubscripts(args, reason),
    ...(args.some(isUnknown) ? [reason] : []),
    ...args.filter((arg) => endsInVariable(arg, isExported)).map((arg) => `it sets ${arg}`),
  ]
}

export function mayContainCommand(text: string): boolean {
  return text.includes('$(') || text.includes('`') || text.includes('${')
}

/** Builtins whose arguments name variables that they set. */
const NAMING = new Set(['read', 'mapfile', 'readarray', 'unset', 'getopts', 'wait'])
const DECLARING = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

function isUnknown(text: string): boolean {
  return text.includes(UNKNOWN)
}

function checkSubscripts(args: readonly string[], reason: string): readonly string[] {
  return args.some((arg) => (arg.includes('[') && arg !== '[') || mayContainCommand(arg)) ? [reason] : []
}

const MAX_NAME = 200

/** `-aPATH` is the option `-a` with the name `PATH`. */
function endsInVariable(arg: string, isExported: (name: string) => boolean): boolean {
  if (!arg.startsWith('-')) return assignsExportedVariable(arg, isExported)
  if (arg.length > MAX_NAME) return true
  return Array.from(arg, (_, at) => arg.slice(at)).some((name) => assignsExportedVariable(name, isExported))
}

/** An argument may be `-v`, and the next one the name of a variable. */
function testsUnknownVariable(args: readonly string[]): boolean {
  return args.some((arg, at) => {
    const next = args[at + 1] ?? ''
    return isUnknown(next) && (arg === '-v' || arg === '-R' || isUnknown(arg))
  })
}

/** `printf -v NAME` sets a variable. */
function checkPrintf(
  [first = '', second = '']: readonly string[],
  isExported: (name: string) => boolean,
): readonly string[] {
  if (first.startsWith(UNKNOWN)) return ['printf may set a variable']
  if (!first.startsWith('-v')) return []
  const name = first === '-v' ? second : first.slice(2)
  return /^\w+$/.test(name) && !assignsExportedVariable(name, isExported) ? [] : [`it sets ${name}`]
}

/** Integers are calculated, references stand for other variables, and what is exported reaches later commands. */
function checkDeclaration(
  builtin: string,
  args: readonly string[],
  isExported: (name: string) => boolean,
): readonly string[] {
  const options = args.filter((arg) => /^[-+]\w/.test(arg)).join('')
  const exports = builtin === 'export' || options.includes('x')
  const names = args.filter((arg) => !/^[-+]/.test(arg)).map((arg) => arg.replace(/\+?=.*/s, ''))
  const set = names.find((name) => (exports ? !isSafeVariable(name) : assignsExportedVariable(name, isExported)))
  return [
    ...(/[in]/.test(options) ? [`${builtin} changes what a variable means`] : []),
    ...(names.some(isUnknown) || options.includes(UNKNOWN) ? [`${builtin} may set any variable`] : []),
    ...(set === undefined ? [] : [`it sets ${set}`]),
  ]
}

const HARMLESS_LETTERS = /^[-+][CETefhmnuvxo]+$/
const HARMLESS_NAMES = new Set(
  (
    'errexit errtrace functrace noclobber noexec noglob nounset pipefail verbose xtrace ' +
    'dotglob failglob globstar inherit_errexit nocaseglob nocasematch nullglob'
  ).split(' '),
)

/** `set -k` takes arguments for variables, `set -a` exports what is set later. */
function changesShell(builtin: string, args: readonly string[]): boolean {
  const options = builtin === 'set' && args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  const isHarmless = (arg: string): boolean =>
    HARMLESS_NAMES.has(arg) || (builtin === 'set' ? HARMLESS_LETTERS.test(arg) : /^-[supqo]+$/.test(arg))
  return !options.every(isHarmless)
}
