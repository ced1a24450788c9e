// A PostgreSQL on loopback in a folder of the run, which can be restarted. Used by the variant `postgres` of the soak.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { connectDatabase } from '../fleet/database-client.mjs'
import { postgresPrograms } from '../fleet/postgres.mjs'
import { userIds } from '../fleet/user-ids.mjs'
import { eventually } from '../fleet/wait.mjs'

/** A sentence, or '' if there is a PostgreSQL to start. */
export const missingPostgres = () =>
  existsSync('/usr/lib/postgresql') ? '' : 'PostgreSQL is not installed: apt-get install postgresql'

export async function openPostgres(base) {
  const folder = join(base, 'database')
  mkdirSync(folder, { recursive: true })
  // PostgreSQL refuses to run as root.
  const as = process.getuid() === 0 ? userIds('postgres') : {}
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const port = await freePort()
  const log = openSync(join(base, 'database.log'), 'a')
  const options = { ...as, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, stdio: ['ignore', log, log] }
  const start = (program, args) => spawn(join(postgresPrograms(), program), args, options)
  const initdb = start('initdb', ['-D', 'data', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'])
  const [code] = await once(initdb, 'exit')
  if (code !== 0) throw new Error(`initdb ended with ${code}; see ${join(base, 'database.log')}`)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`]
  let server

  async function begin() {
    server = start('postgres', ['-D', 'data', ...settings.flatMap((setting) => ['-c', setting])])
    await eventually('PostgreSQL answers', () => connectDatabase(url).query('SELECT 1'), { limitMs: 60_000 })
  }
  async function stop(signal) {
    const exited = once(server, 'exit')
    server.kill(signal)
    await exited
  }
  await begin()
  return {
    url,
    begin,
    /** The fast shutdown: connections are ended. */
    stop: () => stop('SIGINT'),
    bytes: async () =>
      Number((await connectDatabase(url).query('SELECT pg_database_size(current_database()) AS n'))[0].n),
    async close() {
      await stop('SIGQUIT')
      closeSync(log)
    },
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address()
  await new Promise((done) => server.close(done))
  return port
}
