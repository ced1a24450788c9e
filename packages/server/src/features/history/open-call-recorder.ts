// Opens the recorder of calls of one server, from its settings. What it must not keep are the secrets of the settings,
// what the user has entered as a password, and what looks like a secret. Loaded by services.ts of the app after the first
// call. No I/O of its own.

import { Failure } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot } from '../../config/paths.js'
import type { CallSource } from './build-call-details.js'
import type { CallHistory } from './call-history.js'
import { type CallRecorder, createCallRecorder } from './call-recorder.js'
import { createTokenRedactor, redactTokens, type TokenRedactor } from './redact-tokens.js'
import { decodeUriText } from '../../text/normalize-text.js'
import { tryParseUrl } from '../../text/parse-url.js'

export { redactLine } from './build-call-details.js'

export interface OpenCallRecorderDeps {
  readonly config: Config
  readonly log: Log
  readonly history: CallHistory
  /** Id of the server. */
  readonly server: string
  readonly enteredSecrets: EnteredSecrets
}

/** What a user has entered as a password. */
export type EnteredSecrets = (user: string) => readonly Buffer[]

export function openCallRecorder({ config, log, history, ...source }: OpenCallRecorderDeps): CallRecorder {
  return createCallRecorder({ history, log, sourceFor: createCallSource({ config, ...source }, log) })
}

/** `log`: gets a warning about a setting that cannot be used. */
export function createCallSource(
  { config, server, enteredSecrets }: Pick<OpenCallRecorderDeps, 'config' | 'server' | 'enteredSecrets'>,
  log?: Pick<Log, 'warn'>,
): (user: string) => CallSource {
  const project = findProjectRoot(config.cwd)
  const configured = listConfiguredSecrets(config)
  const redact = openTokenRedactor(config.settings.CALL_HISTORY_REDACT, log)
  return (user) => ({ server, project, secrets: [...enteredSecrets(user), ...configured], redactTokens: redact })
}

/** With a setting that cannot be used, what looks like a secret by default is still replaced. */
function openTokenRedactor(setting: string, log: Pick<Log, 'warn'> | undefined): TokenRedactor {
  try {
    return createTokenRedactor(setting)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    log?.warn(`CALL_HISTORY_REDACT is ignored: ${error.message}`)
    return redactTokens
  }
}

/** A shorter one would also hide a part of ordinary words. */
const MIN_SECRET = 8

/** Values of secret settings, also those inside a list or an address. */
function listConfiguredSecrets({ options, effective }: Pick<Config, 'options' | 'effective'>): readonly Buffer[] {
  const values = [...options].flatMap(([key, { secret }]) => {
    const value = secret ? effective.get(key)?.value : undefined
    return typeof value === 'string' ? [value].concat(listParts(value)) : []
  })
  return [...new Set(values)].filter((value) => value.length >= MIN_SECRET).map((value) => Buffer.from(value))
}

function listParts(value: string): readonly string[] {
  const url = tryParseUrl(value)
  return url ? [url.password, decodeUriText(url.password)] : value.split(/[,;=\s]+/)
}
