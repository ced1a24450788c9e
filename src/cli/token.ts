// Makes, lists and ends the tokens of HTTP callers. A token is shown once, when it is made; its hash never.

import { Failure } from '../lib/failure.js'
import type { TokenFile } from '../store/token-file.js'
import type { TokenRecord } from '../store/token-records.js'
import type { Arguments, Flags } from './args.js'
import { table } from './table.js'
import { UsageError } from './usage-error.js'

const USAGE = 'token needs one of: create [--name N] [--user U] [--expires 30d], list, revoke <id or name>'
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const

type Given = Pick<Arguments, 'operands' | 'flags'>

/** Gives the text to print. A token belongs to `owner` unless `--user` says otherwise. `now` in milliseconds since 1970. */
export function tokenReport(tokens: TokenFile, { operands, flags }: Given, owner: string, now = Date.now()): string {
  const [verb, which, ...tooMany] = operands
  if (verb === 'create' && which === undefined) return create(tokens, { ...flags, user: flags.user ?? owner }, now)
  if (verb === 'list' && which === undefined) return list(tokens, flags, now)
  if (verb === 'revoke' && which !== undefined && tooMany.length === 0) return revoke(tokens, which, flags)
  throw new UsageError(USAGE)
}

function create(
  tokens: TokenFile,
  { name, user, expires, json }: Flags & { readonly user: string },
  now: number,
): string {
  const { token, record } = tokens.create({
    name: name ?? freeName(tokens),
    user,
    ...(expires !== undefined && { expiresAt: endOf(expires, now) }),
  })
  if (json) return print({ token, ...shown(record) })
  return `${token}

This is the token ${record.name} (${record.id}) of the user ${record.user}, shown only this time. It ${lifeOf(record)}.
Send it as "Authorization: Bearer <token>". To revoke it: scorpiox-code token revoke ${record.id}
`
}

function list(tokens: TokenFile, { json }: Flags, now: number): string {
  const records = tokens.list()
  if (json) return print(records.map(shown))
  if (records.length === 0) return 'There are no tokens; make one with: scorpiox-code token create\n'
  const rows = records.map(({ id, name, user, createdAt, expiresAt }) => {
    const expired = expiresAt !== undefined && Date.parse(expiresAt) <= now
    return [id, name, user, createdAt.slice(0, 10), `${expiresAt ?? 'never'}${expired ? ' (expired)' : ''}`]
  })
  return table([['ID', 'NAME', 'USER', 'CREATED', 'EXPIRES'], ...rows])
}

function revoke(tokens: TokenFile, which: string, { json }: Flags): string {
  const revoked = tokens.revoke(which)
  if (revoked.length === 0) {
    throw new Failure(`there is no token with the id or name ${which}; scorpiox-code token list shows them`)
  }
  if (json) return print(revoked.map(shown))
  return revoked.map(({ id, name, user }) => `Revoked ${name} (${id}) of the user ${user}.\n`).join('')
}

function freeName(tokens: TokenFile): string {
  const taken = new Set(tokens.list().map(({ name }) => name))
  let number = 1
  while (taken.has(`token-${number}`)) number++
  return `token-${number}`
}

function endOf(expires: string, now: number): string {
  const [, count = '', unit] = /^(\d{1,6})([mhdwy])$/.exec(expires) ?? []
  const isUnit = (text: string | undefined): text is keyof typeof UNIT_MS => text !== undefined && text in UNIT_MS
  const end = isUnit(unit) ? now + Number(count) * UNIT_MS[unit] : parseDay(expires)
  // The largest moment a Date can hold.
  if (end > now && end <= 8.64e15) return new Date(end).toISOString()
  throw new UsageError(`--expires must be a time from now such as 12h, 30d or 1y, or a date to come, got ${expires}`)
}

function parseDay(text: string): number {
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN
}

function lifeOf({ expiresAt }: TokenRecord): string {
  return expiresAt === undefined ? 'does not expire' : `expires at ${expiresAt}`
}

function shown({ id, name, user, createdAt, expiresAt }: TokenRecord): object {
  return { id, name, user, createdAt, expiresAt }
}

function print(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
