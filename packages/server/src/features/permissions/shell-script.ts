// Determines which commands a shell runs that is started with arguments: the script of `bash -c`, those of its input,
// or a file. Used by started-command. Pure: nothing is run.

import { UNKNOWN } from './shell-words.js'

/** A script in bash's grammar, a reason why it cannot be determined, or undefined for a shell that runs a file. */
export type ShellScript = { readonly script: string } | { readonly problem: string } | undefined

export function isShell(name: string): boolean {
  return BASH.has(name) || BOURNE_SHELLS.has(name) || OTHER_SHELLS.has(name)
}

export function findShellScript(shell: string, args: readonly string[]): ShellScript {
  for (const [at, arg] of args.entries()) {
    if (arg.includes(UNKNOWN)) return { problem: 'the arguments of the shell are known only when it runs' }
    if (arg === '-') break
    const [, letters] = /^[-+]([a-zA-Z]+)$/.exec(arg) ?? []
    if (letters === undefined) return /^[-+]/.test(arg) ? UNKNOWN_OPTIONS : undefined
    // The next word is the name of an option, not a script.
    if (/o/i.test(letters)) return UNKNOWN_OPTIONS
    if (letters.includes('c')) return scriptArgument(shell, args[at + 1])
    if (letters.includes('s')) break
  }
  return { problem: 'the shell reads commands from its input' }
}

const BASH = new Set(['bash', 'rbash', 'bash-static'])
const BOURNE_SHELLS = new Set(['sh', 'dash', 'ash', 'ksh', 'ksh93', 'rksh', 'mksh', 'lksh', 'oksh', 'posh', 'yash'])
const OTHER_SHELLS = new Set(
  'zsh zsh-static rzsh fish csh tcsh bsd-csh rc es elvish nu xonsh osh ysh ion pwsh powershell'.split(' '),
)

const UNKNOWN_OPTIONS = { problem: 'the options of the shell are not known' }

function scriptArgument(shell: string, script: string | undefined): ShellScript {
  // Between -c and the commands there may be further options.
  if (script === undefined || /^[-+]/.test(script)) return UNKNOWN_OPTIONS
  if (script.includes(UNKNOWN)) return { problem: 'commands are known only when it runs' }
  if (OTHER_SHELLS.has(shell) || (BOURNE_SHELLS.has(shell) && READ_OTHERWISE.test(script)))
    return { problem: `${shell} may read the commands otherwise than bash` }
  return { script }
}

/**
 * Text that other shells read otherwise than bash: to dash `$'\'` ends a quotation, `[[ a || b ]]` is two commands, and
 * so is `a &> b c`.
 */
const READ_OTHERWISE = /\\|\$['"[{]|\[\[|\(\(|&>|[?*+@!=<>]\(|<<|\{/
