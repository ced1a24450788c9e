// Converts PostgreSQL and connection errors to Failures that say what to do. Returns undefined for errors of a
// statement, which are bugs of this program. Used by postgres.ts and shared-rows. Pure.

import { Failure } from '@scorpiox/mcp/errors'

const NOTHING_CHANGED = 'nothing was changed'

/** The schema or its tables do not exist. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isSchemaMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(sqlStateOf(error) ?? '')
}

export function isConnectionLost(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined) return /^(08|57P0[123])/.test(state)
  if (!(error instanceof Error)) return false
  return ('code' in error && /^E[A-Z]+$/.test(String(error.code))) || /connection|timeout|socket/i.test(error.message)
}

/** A statement got no answer in time; the connection cannot be used any more. */
export function isStuck(error: unknown): boolean {
  if (error instanceof Failure) return isStuck(error.cause)
  return error instanceof Error && error.message === 'Query read timeout'
}

/** The connection was lost without a timeout, so another one can be tried. */
export function isRetryableConnectionError(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof Error && /timeout/i.test(error.message))
}

export function toPostgresFailure(name: string, error: unknown, reason: string): Failure | undefined {
  if (error instanceof Failure) return error
  const message = isConnectionLost(error)
    ? `${name} cannot be reached (${reason}), ${NOTHING_CHANGED}; check that the server is running and DATABASE_URL is correct, then try again`
    : describeSqlState(name, sqlStateOf(error) ?? '', reason)
  return message === undefined ? undefined : new Failure(message, { cause: error })
}

export function unreachableDatabase(name: string, error: unknown, reason: string): Failure {
  const message = `${name} cannot be reached (${reason})`
  const failure = toPostgresFailure(name, error, reason)
  return (
    failure ?? new Failure(`${message}; check that the server is running and DATABASE_URL is correct`, { cause: error })
  )
}

export function uncertainPostgresCommit(name: string, error: unknown, reason: string): Failure {
  return new Failure(
    `The connection to ${name} broke during commit (${reason}); the change may or may not be stored: check before repeating it`,
    { cause: error },
  )
}

function describeSqlState(name: string, state: string, reason: string): string | undefined {
  if (state.startsWith('28')) return `${name} refuses the user or the password in DATABASE_URL (${reason})`
  if (state === '3D000') return `${name} does not exist (${reason}); create it or correct DATABASE_URL`
  if (state === '42501') {
    return `${name} does not allow its user to create tables (${reason}); grant it CREATE on the database, or a schema scorpiox of its own`
  }
  if (state === '42P06')
    return `${name} got a schema scorpiox from another program at this moment, ${NOTHING_CHANGED}; try again`
  if (state === '25006')
    return `${name} is read-only (${reason}), ${NOTHING_CHANGED}; set DATABASE_URL to the primary server`
  if (['55P03', '57014', '40001', '40P01', '25P03'].includes(state)) {
    return `${name} was blocked by other transactions for too long (${reason}), ${NOTHING_CHANGED}; try again`
  }
  if (/^(53|58|XX)/.test(state))
    return `${name} reports a server error (${reason}), ${NOTHING_CHANGED}; check the server and try again`
  if (isSchemaMissing({ code: state })) return `${name} has no tables (${reason}), ${NOTHING_CHANGED}; try again`
  return undefined
}

function sqlStateOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return /^[\dA-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined
}
