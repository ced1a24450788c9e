// One PostgreSQL of Debian on a host of its own, which can be stopped, killed and started again.

import { appendFileSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { connectDatabase } from './database-client.mjs'
import { openHost } from './namespace.mjs'
import { eventually } from './wait.mjs'
import { userIds } from './user-ids.mjs'

const ADDRESS = '10.77.0.31'

export async function openPostgres({ base }) {
  const host = await openHost({ name: 'database', address: ADDRESS })
  const folder = join(base, 'database')
  mkdirSync(folder, { recursive: true })
  const { uid, gid } = userIds('postgres')
  chownSync(folder, uid, gid)
  const log = join(base, 'database.log')
  const options = { user: 'postgres', cwd: folder, log, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const url = `postgres://postgres@${ADDRESS}:5432/postgres`
  let server

  const initdb = await host.start(
    [join(postgresPrograms(), 'initdb'), '-D', 'data', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'],
    options,
  )
  if ((await initdb.exited) !== 0) throw new Error(`initdb failed; see ${log}`)
  appendFileSync(join(folder, 'data/pg_hba.conf'), 'host all all 10.77.0.0/24 trust\n')
  const start = async () => {
    const settings = ['listen_addresses=*', `unix_socket_directories=${folder}`, 'max_connections=120', 'fsync=on']
    server = await host.start(
      [join(postgresPrograms(), 'postgres'), '-D', 'data', ...settings.flatMap((setting) => ['-c', setting])],
      options,
    )
    await eventually('PostgreSQL answers', () => connectDatabase(url).query('SELECT 1'), { limitMs: 90_000 })
  }
  await start()

  return {
    url,
    addresses: [ADDRESS],
    primaryUrl: async () => url,
    start,
    /** `SIGINT` is the fast shutdown, `SIGQUIT` the immediate one, as a crash. */
    async stop(signal = 'SIGINT') {
      server.signal(signal)
      await server.exited
    },
    cut: host.cut,
    reconnect: host.reconnect,
    close: () => host.powerOff(),
  }
}

/** The folder with the programs of the newest version; fails where there is none. */
export function postgresPrograms() {
  const versions = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one))
  return join('/usr/lib/postgresql', versions[0] ?? '', 'bin')
}
