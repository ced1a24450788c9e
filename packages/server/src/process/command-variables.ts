// Variables that commands get beside the environment of the server, such as those of the project. A prepared shell sets
// them itself before its command, so nothing that runs outside of the sandbox has them; a shell that is started
// directly gets them in its environment. Used by command-runner.ts; made by features/shell. Pure.

import { quoteShellWord } from './shell-quote.js'

/** By name; null removes a variable. */
export type CommandVariables = Readonly<Record<string, string | null>>

/** What read-command.sh expects in front of the command. */
const START = '\u0001'
const END = '\u0002'

/** A command for a prepared shell. */
export function putVariablesBefore(command: string, variables: CommandVariables | undefined): string {
  const entries = Object.entries(variables ?? {})
  if (entries.length === 0) return command
  const code = entries.map(([name, value]) =>
    value === null ? `unset ${name}` : `export ${name}=${quoteShellWord(value)}`,
  )
  return `${START}${code.join('; ')}${END}${command}`
}

export function addVariables(env: NodeJS.ProcessEnv, variables: CommandVariables | undefined): NodeJS.ProcessEnv {
  const set = Object.entries(variables ?? {}).map(([name, value]) => [name, value ?? undefined])
  return set.length === 0 ? env : { ...env, ...Object.fromEntries(set) }
}

/** They cannot be set, a shell would work differently with them, or the processes of a command are found by them. */
const OWN_VARIABLES = new Set(
  '_ BASHOPTS BASH_VERSINFO EUID IFS OLDPWD PPID PWD SCORPIOX_TREE SHELLOPTS SHLVL UID'.split(' '),
)

/** Whether a shell can export this variable without an effect on itself. */
export function isExportable(name: string, value: string | null): boolean {
  const hasMark = value !== null && [START, END, '\0'].some((mark) => value.includes(mark))
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !OWN_VARIABLES.has(name) && !hasMark
}
