import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, describe, expect, test } from 'vitest'

import { parseArguments } from '../arguments.js'
import { type AuthTokenFile, openTokenFile } from '../http/token-file.js'
import { runTokenCommand } from './token-command.js'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
let tokens: AuthTokenFile

beforeEach(() => {
  tokens = openTokenFile(join(mkdtempSync(join(tmpdir(), 'scorpiox-cli-token-')), 'tokens.json'))
})

const type = (...argv: readonly string[]): Promise<string> =>
  runTokenCommand(tokens, parseArguments(['token', ...argv]), 'owner', NOW)

describe('token create', () => {
  test('prints the token once, on its own line, with instructions', async () => {
    const text = await type('create', '--name', 'laptop', '--user', 'ada', '--expires', '30d')
    const [token = ''] = text.split('\n')
    const record = tokens.list()[0]!
    expect(tokens.list()).toMatchObject([{ name: 'laptop', user: 'ada', expiresAt: '2030-01-31T00:00:00.000Z' }])
    expect(text).toBe(`${token}

Token laptop (${record.id}) of user ada; it is shown only this time and expires at 2030-01-31T00:00:00.000Z.
Send it as "Authorization: Bearer <token>". To revoke it: scorpiox-code token revoke ${record.id}
`)
    expect(text.split(token)).toHaveLength(2)
    expect(`${await type('list')}${await type('list', '--json')}`).not.toContain(token)
  })

  test('has defaults: numbered names, the owner as user, no expiry', async () => {
    expect(await type('create')).toContain('and does not expire.')
    await type('create')
    tokens.revoke('token-1')
    await type('create')
    expect(tokens.list().map(({ name, user }) => `${user} ${name}`)).toEqual(['owner token-2', 'owner token-1'])
  })

  test('prints JSON with --json', async () => {
    const { token, ...rest } = JSON.parse(await type('create', '--json', '--name', 'ci')) as Record<string, string>
    expect(tokens.find(token ?? '')).toMatchObject(rest)
    expect(Object.keys(rest)).toEqual(['id', 'name', 'user', 'createdAt'])
  })

  test.each([
    ['90m', '2030-01-01T01:30:00.000Z'],
    ['12h', '2030-01-01T12:00:00.000Z'],
    ['2w', '2030-01-15T00:00:00.000Z'],
    ['1y', '2031-01-01T00:00:00.000Z'],
    ['2030-06-01', '2030-06-01T00:00:00.000Z'],
    ['2030-06-01T12:00:00Z', '2030-06-01T12:00:00.000Z'],
  ])('--expires %s', async (expires, end) => {
    await type('create', '--expires', expires)
    expect(tokens.list()).toMatchObject([{ expiresAt: end }])
  })

  test.each([
    '',
    '0d',
    '30',
    'd',
    '1.5d',
    '-1d',
    '30 d',
    '30D',
    '999999y',
    '2029-01-01',
    '2030-13-01',
    'never',
    '1e9d',
  ])('--expires %j is rejected with an explanation', async (expires) => {
    await expect(type('create', `--expires=${expires}`)).rejects.toThrow('--expires must be a duration such as')
    expect(tokens.list()).toEqual([])
  })
})

describe('token list', () => {
  test('prints a table without hashes', async () => {
    expect(await type('list')).toBe('No tokens. Create one: scorpiox-code token create\n')
    await type('create', '--name', 'laptop of Ada', '--user', 'ada')
    await type('create', '--name', 'ci', '--expires', '1m')
    const [first, second] = tokens.list()
    const day = first!.createdAt.slice(0, 10)
    expect(await runTokenCommand(tokens, parseArguments(['token', 'list']), 'owner', NOW + 60_000)).toBe(`\
ID          NAME           USER   CREATED     EXPIRES
${first!.id}  laptop of Ada  ada    ${day}  never
${second!.id}  ci             owner  ${day}  2030-01-01T00:01:00.000Z (expired)
`)
    for (const { hash } of tokens.list())
      expect(`${await type('list')}${await type('list', '--json')}`).not.toContain(hash)
    expect(JSON.parse(await type('list', '--json'))).toMatchObject([{ name: 'laptop of Ada' }, { name: 'ci' }])
  })
})

describe('token revoke', () => {
  test('prints what was revoked', async () => {
    await type('create', '--name', 'a')
    const { id } = tokens.list()[0]!
    expect(await type('revoke', 'a')).toBe(`Revoked a (${id}) of user owner.\n`)
    await expect(type('revoke', 'a')).rejects.toThrow(
      'no token has the id or name a; to list them: scorpiox-code token list',
    )
    await type('create', '--name', 'b')
    expect(JSON.parse(await type('revoke', 'b', '--json'))).toMatchObject([{ name: 'b' }])
    expect(tokens.list()).toEqual([])
  })
})

test.each([[[]], [['crate']], [['create', 'x']], [['list', 'x']], [['revoke']], [['revoke', 'a', 'b']]])(
  'token %j is rejected with the usage',
  async (argv) => {
    await expect(type(...argv)).rejects.toThrow('token needs one of: create')
  },
)
