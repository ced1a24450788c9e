// argv → one command with its flags. Pure. What cannot be understood comes back as a sentence.

import { parseArgs } from 'node:util'

import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'

export interface Arguments {
  readonly command: string | undefined
  readonly operands: readonly string[]
  readonly flags: Flags
}

export interface Flags {
  readonly cwd?: string | undefined
  readonly env?: string[] | undefined
  readonly help?: boolean | undefined
  readonly version?: boolean | undefined
  readonly json?: boolean | undefined
  readonly http?: boolean | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly 'no-auth'?: boolean | undefined
  readonly 'no-open'?: boolean | undefined
  readonly name?: string | undefined
  readonly user?: string | undefined
  readonly expires?: string | undefined
  readonly 'behind-proxy'?: boolean | undefined
  readonly 'no-sandbox'?: boolean | undefined
  readonly token?: string | undefined
  readonly 'key-header'?: string | undefined
  readonly tool?: string | undefined
  readonly args?: string | undefined
  readonly replace?: boolean | undefined
  readonly once?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly lang?: string | undefined
  readonly doctor?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
  readonly 'codex-approval'?: string | undefined
  readonly 'continue-bash'?: string | undefined
}

/** The command line was not understood; it says what was expected. */
export class UsageError extends Failure {
  override readonly name = 'UsageError'
  readonly exitCode = 2
}

export function readArguments(argv: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
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
        name: { type: 'string' },
        user: { type: 'string' },
        expires: { type: 'string' },
        'behind-proxy': { type: 'boolean' },
        'no-sandbox': { type: 'boolean' },
        token: { type: 'string' },
        'key-header': { type: 'string' },
        tool: { type: 'string' },
        args: { type: 'string' },
        replace: { type: 'boolean' },
        once: { type: 'boolean' },
        quiet: { type: 'boolean' },
        lang: { type: 'string' },
        doctor: { type: 'boolean' },
        yes: { type: 'boolean', short: 'y' },
        'dry-run': { type: 'boolean' },
        'codex-approval': { type: 'string' },
        'continue-bash': { type: 'string' },
      },
    })
    const [command, ...operands] = positionals
    return { command, operands, flags: values }
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}
