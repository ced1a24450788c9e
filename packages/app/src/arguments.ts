// Parses the command line into a command, its operands and its flags. Used by main.ts; the commands receive the result.
// Pure.

import { parseArgs } from 'node:util'

import { errorMessage } from '@scorpiox/mcp/errors'
import { UsageError } from '@scorpiox/server/terminal/terminal'

const OPTIONS = {
  cwd: { type: 'string' },
  env: { type: 'string', short: 'e', multiple: true },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  json: { type: 'boolean' },
  http: { type: 'boolean' },
  host: { type: 'string' },
  port: { type: 'string' },
  'no-auth': { type: 'boolean' },
  'no-open': { type: 'boolean' },
  'new-key': { type: 'boolean' },
  name: { type: 'string' },
  user: { type: 'string' },
  expires: { type: 'string' },
  'behind-proxy': { type: 'boolean' },
  'no-sandbox': { type: 'boolean' },
  processes: { type: 'string' },
  // Given by the first process of --processes to the others, with their number.
  worker: { type: 'string' },
  token: { type: 'string' },
  'key-header': { type: 'string' },
  tool: { type: 'string' },
  args: { type: 'string' },
  replace: { type: 'boolean' },
  once: { type: 'boolean' },
  quiet: { type: 'boolean' },
  notify: { type: 'string' },
  lang: { type: 'string' },
  doctor: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
  'codex-approval': { type: 'string' },
  'continue-bash': { type: 'string' },
  revision: { type: 'string' },
  watch: { type: 'string', multiple: true },
} as const

/** The options that were given, by their long name. */
export type CommandFlags = Readonly<ReturnType<typeof parseOptions>['values']>

export interface CommandArguments {
  readonly command: string | undefined
  readonly operands: readonly string[]
  readonly flags: CommandFlags
}

export function parseArguments(argv: readonly string[]): CommandArguments {
  try {
    const { values, positionals } = parseOptions(argv)
    const [command, ...operands] = positionals
    return { command, operands, flags: values }
  } catch (error) {
    const [, option] = /^Unknown option '([^']+)'/.exec(errorMessage(error)) ?? []
    throw new UsageError(
      option === undefined
        ? errorMessage(error)
        : `unknown option ${option}; scorpiox-code --help, or with a command its --help, lists the options`,
    )
  }
}

function parseOptions(argv: readonly string[]) {
  return parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS })
}
