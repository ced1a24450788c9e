// The environment of a command on a terminal: editors and prompts work there, so what command-environment.ts switches
// off for unattended commands is switched on again, as shell code. Pagers and colours stay off. Used by features/shell.
// Pure.

import { quoteShellWord } from './shell-quote.js'

const TERMINAL_NAME = 'xterm-256color'

const EDITORS = ['EDITOR', 'VISUAL', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR']

const PROMPT_SWITCHES = ['GIT_TERMINAL_PROMPT', 'GH_PROMPT_DISABLED', 'PIP_NO_INPUT', 'DEBIAN_FRONTEND']

/** `userEnv`: the environment in which the user started the server. */
export function formatTerminalPrelude(userEnv: NodeJS.ProcessEnv): string {
  const editors = EDITORS.flatMap((name) => {
    const value = userEnv[name]
    return value === undefined || value === '' ? [] : [`${name}=${quoteShellWord(value.replaceAll('\n', ' '))}`]
  })
  // For the askpass program, which prompts on the terminal if no user can be asked.
  const exported = [`TERM=${TERMINAL_NAME}`, 'SCORPIOX_TERMINAL=1', ...editors].join(' ')
  return `unset ${[...EDITORS, ...PROMPT_SWITCHES].join(' ')}; export ${exported}; `
}
