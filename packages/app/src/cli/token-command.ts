// `scorpiox-code token`: creates, lists and revokes the tokens of HTTP callers, in the token file or in the database of
// several machines. A token is shown once, when it is created; its hash is never shown. Called by cli/commands.ts.
// Reads and writes only through the given store.

import { Failure } from '@scorpiox/mcp/errors'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { formatTable } from '@scorpiox/server/terminal/text-layout'
import type { CommandArguments, CommandFlags } from '../arguments.js'
import type { AuthTokenRecord, AuthTokenStore } from '../http/token-record.js'

const USAGE = 'token needs one of: create [--name N] [--user U] [--expires 30d], list, revoke <id or name>'
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const

type TokenCommandInput = Pick<CommandArguments, 'operands' | 'flags'>

/** Returns the text to print. A token belongs to `owner` if `--user` is not given. `now` is in milliseconds since 1970. */
export async function runTokenCommand(
  tokens: AuthTokenStore,
  { operands, flags }: TokenCommandInput,
  owner: string,
  now = Date.now(),
): Promise<string> {
  const [verb, idOrName, ...extra] = operands
  if (verb === 'create' && idOrName === undefined) return create(tokens, { ...flags, user: flags.user ?? owner }, now)
  if (verb === 'list' && idOrName === undefined) return list(tokens, flags, now)
  if (verb === 'revoke' && idOrName !== undefined && extra.length === 0) return revoke(tokens, idOrName, flags)
  throw new UsageError(USAGE)
}

async function create(
  tokens: AuthTokenStore,
  { name, user, expires, json }: CommandFlags & { readonly user: string },
  now: number,
): Promise<string> {
  const { token, record } = await tokens.create({
    name: name ?? (await unusedName(tokens)),
    user,
    ...(expires !== undefined && { expiresAt: parseExpiry(expires, now) }),
  })
  if (json) return formatJson({ token, ...withoutHash(record) })
  return `${token}

Token ${record.name} (${record.id}) of user ${record.user}; it is shown only this time and ${describeExpiry(record)}.
Send it as "Authorization: Bearer <token>". To revoke it: scorpiox-code token revoke ${record.id}
`
}

async function list(tokens: AuthTokenStore, { json }: CommandFlags, now: number): Promise<string> {
  const records = await tokens.list()
  if (json) return formatJson(records.map(withoutHash))
  if (records.length === 0) return 'No tokens. Create one: scorpiox-code token create\n'
  const rows = records.map(({ id, name, user, createdAt, expiresAt }) => {
    const expired = expiresAt !== undefined && Date.parse(expiresAt) <= now
    return [id, name, user, createdAt.slice(0, 10), `${expiresAt ?? 'never'}${expired ? ' (expired)' : ''}`]
  })
  return formatTable([['ID', 'NAME', 'USER', 'CREATED', 'EXPIRES'], ...rows])
}

async function revoke(tokens: AuthTokenStore, idOrName: string, { json }: CommandFlags): Promise<string> {
  const revoked = await tokens.revoke(idOrName)
  if (revoked.length === 0) {
    throw new Failure(`no token has the id or name ${idOrName}; to list them: scorpiox-code token list`)
  }
  if (json) return formatJson(revoked.map(withoutHash))
  return revoked.map(({ id, name, user }) => `Revoked ${name} (${id}) of user ${user}.\n`).join('')
}

async function unusedName(tokens: AuthTokenStore): Promise<string> {
  const usedNames = new Set((await tokens.list()).map(({ name }) => name))
  let number = 1
  while (usedNames.has(`token-${number}`)) number++
  return `token-${number}`
}

function parseExpiry(expires: string, now: number): string {
  const [, count = '', unit] = /^(\d{1,6})([mhdwy])$/.exec(expires) ?? []
  const isTimeUnit = (text: string | undefined): text is keyof typeof UNIT_MS => text !== undefined && text in UNIT_MS
  const expiry = isTimeUnit(unit) ? now + Number(count) * UNIT_MS[unit] : parseDay(expires)
  // The largest time that a Date can represent.
  if (expiry > now && expiry <= 8.64e15) return new Date(expiry).toISOString()
  throw new UsageError(`--expires must be a duration such as 12h, 30d or 1y, or a date in the future, got ${expires}`)
}

function parseDay(text: string): number {
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN
}

function describeExpiry({ expiresAt }: AuthTokenRecord): string {
  return expiresAt === undefined ? 'does not expire' : `expires at ${expiresAt}`
}

function withoutHash({ id, name, user, createdAt, expiresAt }: AuthTokenRecord): object {
  return { id, name, user, createdAt, expiresAt }
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
