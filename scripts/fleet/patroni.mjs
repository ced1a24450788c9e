// Three PostgreSQL nodes under Patroni with synchronous replication, three etcd nodes on hosts of their own, and an HAProxy
// that leads to the primary. Its faults are those of a primary: killed, cut off, or split from its peers while the proxy
// still reaches it.

import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { connectDatabase } from './database-client.mjs'
import { openLoadBalancer } from './load-balancer.mjs'
import { BRIDGE_ADDRESS, openHost } from './namespace.mjs'
import { postgresPrograms } from './postgres.mjs'
import { userIds } from './user-ids.mjs'
import { eventually } from './wait.mjs'

const NODES = ['10.77.0.31', '10.77.0.32', '10.77.0.33']
const ETCD = ['10.77.0.41', '10.77.0.42', '10.77.0.43']
const START_LIMIT_MS = 60_000
const url = `postgres://postgres@${BRIDGE_ADDRESS}:5432/postgres`

export async function openPatroni({ base }) {
  const etcd = await Promise.all(ETCD.map((address, index) => startEtcd(base, address, index)))
  const nodes = []
  for (const [index, address] of NODES.entries()) nodes.push(await openNode(base, address, index))
  await nodes[0].start()
  await eventually('the first database node is the primary', () => nodes[0].isPrimary(), { limitMs: START_LIMIT_MS })
  await Promise.all(nodes.slice(1).map((node) => node.start()))
  const balancer = await openLoadBalancer({ base, machines: [], databaseNodes: NODES })
  await untilWhole(nodes)

  /** Resolves when another node accepts writes. */
  async function fail(fault) {
    const primary = await findPrimary(nodes)
    const others = nodes.filter((node) => node !== primary)
    const repair = await fault(primary, others)
    await eventually('another node is the primary', () => findPrimary(others), { limitMs: START_LIMIT_MS })
    const acceptedAt = Date.now()
    return {
      acceptedAt,
      async repair() {
        await repair()
        await untilWhole(nodes)
      },
    }
  }

  return {
    url,
    addresses: [BRIDGE_ADDRESS],
    primaryUrl: async () => url,
    killPrimary: () =>
      fail(async (primary) => {
        await primary.kill()
        return () => primary.start()
      }),
    cutPrimary: () =>
      fail(async (primary) => {
        primary.host.cut()
        return async () => primary.host.reconnect()
      }),
    splitPrimary: () =>
      fail(async (primary, others) => {
        const lost = [...ETCD, ...others.map(({ host }) => host.address)]
        for (const address of lost) primary.host.loseRouteTo(address)
        return async () => lost.forEach((address) => primary.host.restoreRouteTo(address))
      }),
    async close() {
      await balancer.close()
      await Promise.all([...nodes.map(({ host }) => host), ...etcd].map((host) => host.powerOff()))
    },
  }
}

async function startEtcd(base, address, index) {
  const host = await openHost({ name: `etcd-${index + 1}`, address })
  const folder = ownFolder(base, host.name)
  const cluster = ETCD.map((other, number) => `etcd-${number + 1}=http://${other}:2380`).join(',')
  const flags = {
    name: host.name,
    'data-dir': join(folder, 'data'),
    'listen-peer-urls': `http://${address}:2380`,
    'initial-advertise-peer-urls': `http://${address}:2380`,
    'listen-client-urls': `http://${address}:2379`,
    'advertise-client-urls': `http://${address}:2379`,
    'initial-cluster': cluster,
    'initial-cluster-state': 'new',
  }
  const command = ['etcd', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])]
  await host.start(command, programOptions(base, folder, host.name))
  return host
}

async function openNode(base, address, index) {
  const host = await openHost({ name: `database-${index + 1}`, address })
  const folder = ownFolder(base, host.name)
  const file = join(folder, 'patroni.json')
  writeFileSync(file, JSON.stringify(configuration(host.name, address, folder), undefined, 2))
  const direct = connectDatabase(`postgres://postgres@${address}:5432/postgres`)
  return {
    host,
    // Patroni reads YAML, of which JSON is a part.
    start: () => host.start(['patroni', file], programOptions(base, folder, host.name)),
    /** Every process of the host but its first one. */
    kill: async () => (await host.start(['bash', '-c', 'kill -9 -1'])).exited,
    async isPrimary() {
      const [row] = await direct.query('SELECT pg_is_in_recovery() AS standby')
      return row.standby === false
    },
    async streamingStandbys() {
      const rows = await direct.query(`SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`)
      return rows.map((row) => row.sync_state)
    },
  }
}

function configuration(name, address, folder) {
  return {
    scope: 'fleet',
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    etcd3: { hosts: ETCD.map((other) => `${other}:2379`).join(',') },
    bootstrap: {
      dcs: {
        ttl: 7,
        loop_wait: 1,
        retry_timeout: 3,
        primary_start_timeout: 0,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 120, wal_log_hints: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, { auth: 'trust' }, 'no-sync'],
    },
    postgresql: {
      listen: `${address}:5432`,
      connect_address: `${address}:5432`,
      data_dir: join(folder, 'data'),
      bin_dir: postgresPrograms(),
      pgpass: join(folder, 'pgpass'),
      use_unix_socket: true,
      use_unix_socket_repl: true,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator', password: 'of-the-fleet' },
      },
      parameters: { unix_socket_directories: folder },
      pg_hba: [
        'local all all trust',
        'local replication all trust',
        'host all all 10.77.0.0/24 trust',
        'host replication all 10.77.0.0/24 trust',
      ],
    },
  }
}

async function findPrimary(nodes) {
  const found = await Promise.all(nodes.map((node) => node.isPrimary().catch(() => false)))
  return nodes[found.indexOf(true)]
}

/** Both standbys follow, one of them synchronously, and the proxy leads to the primary. */
async function untilWhole(nodes) {
  const isWhole = async () => {
    const states = (await (await findPrimary(nodes))?.streamingStandbys()) ?? []
    return states.length === nodes.length - 1 && states.includes('sync')
  }
  await eventually('all database nodes follow the primary', isWhole, { limitMs: START_LIMIT_MS })
  const accepts = async () =>
    (await connectDatabase(url).query('SELECT pg_is_in_recovery() AS standby'))[0].standby === false
  await eventually('the proxy leads to the primary', accepts, { limitMs: START_LIMIT_MS })
}

function ownFolder(base, name) {
  const folder = join(base, name)
  const { uid, gid } = userIds('postgres')
  mkdirSync(folder, { mode: 0o700 })
  chownSync(folder, uid, gid)
  return folder
}

function programOptions(base, folder, name) {
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder }
  return { user: 'postgres', cwd: folder, log: join(base, `${name}.log`), env }
}
