// What PostgreSQL or the way to it complains about, said to a person. Undefined where the complaint is about the
// statement: that is a bug of ours.

import { Failure } from '../../lib/failure.js'

const UNDONE = 'nothing was changed'

/** The schema or its tables are not there: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isUnprepared(error: unknown): boolean {
  return ['42P01', '3F000'].includes(stateOf(error) ?? '')
}

export function isLost(error: unknown): boolean {
  const state = stateOf(error)
  if (state !== undefined) return /^(08|57P0[123])/.test(state)
  if (!(error instanceof Error)) return false
  return ('code' in error && /^E[A-Z]+$/.test(String(error.code))) || /connection|timeout|socket/i.test(error.message)
}

/** Lost at once, so that another connection can be tried, and not after a long silence. */
export function isBroken(error: unknown): boolean {
  return isLost(error) && !(error instanceof Error && /timeout/i.test(error.message))
}

export function postgresFailure(name: string, error: unknown, reason: string): Failure | undefined {
  if (error instanceof Failure) return error
  const sentence = isLost(error)
    ? `${name} cannot be reached (${reason}), ${UNDONE}; check that the server is running and DATABASE_URL is correct, then try again`
    : sentenceOf(name, stateOf(error) ?? '', reason)
  return sentence === undefined ? undefined : new Failure(sentence, { cause: error })
}

export function unreachable(name: string, error: unknown, reason: string): Failure {
  const about = `${name} cannot be reached (${reason})`
  const failure = postgresFailure(name, error, reason)
  return failure ?? new Failure(`${about}; check that the server is running and DATABASE_URL is correct`, { cause: error })
}

export function unsureCommit(name: string, error: unknown, reason: string): Failure {
  return new Failure(
    `The connection to ${name} broke during commit (${reason}); the change may or may not be stored: check before repeating it`,
    { cause: error },
  )
}

function sentenceOf(name: string, state: string, reason: string): string | undefined {
  if (state.startsWith('28')) return `${name} refuses the user or the password in DATABASE_URL (${reason})`
  if (state === '3D000') return `${name} does not exist (${reason}); create it or correct DATABASE_URL`
  if (state === '42501') {
    return `${name} does not allow its user to create tables (${reason}); grant it CREATE on the database, or a schema scorpiox of its own`
  }
  if (state === '25006') return `${name} is read-only (${reason}), ${UNDONE}; set DATABASE_URL to the primary server`
  if (['55P03', '57014', '40001', '40P01', '25P03'].includes(state)) {
    return `${name} was blocked by other transactions for too long (${reason}), ${UNDONE}; try again`
  }
  if (/^(53|58|XX)/.test(state)) return `${name} reports a server error (${reason}), ${UNDONE}; check the server and try again`
  if (isUnprepared({ code: state })) return `${name} has no tables (${reason}), ${UNDONE}; try again`
  return undefined
}

function stateOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return /^[\dA-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined
}
