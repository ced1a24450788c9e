// Opens a whole fleet: database, machines, HAProxy and users with a token each; and closes it. One at a time is open.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { installAudit } from './audit.mjs'
import { createClient } from './clients.mjs'
import { connectDatabase } from './database-client.mjs'
import { openLoadBalancer, PUBLIC_URL } from './load-balancer.mjs'
import { openMachine } from './machine.mjs'
import { openPatroni } from './patroni.mjs'
import { openPostgres } from './postgres.mjs'

/** Of every machine; its user is the one that the servers run as. */
const OPERATOR_TOKEN = 'token-of-the-fleet'

let fleets = 0

/** `files` is local or shared, `database` single or patroni. */
export async function openFleet({ base, options, files, database: kind = 'single', settings = {} }) {
  const folder = join(base, `fleet-${++fleets}`)
  mkdirSync(folder, { mode: 0o755 })
  const opened = []
  async function close() {
    for (const { close: end } of opened.splice(0).toReversed()) await end()
  }
  try {
    const database = kind === 'patroni' ? await openPatroni({ base: folder }) : await openPostgres({ base: folder })
    opened.push(database)
    const all = { ...machineSettings(options), ...settings }
    const machines = []
    for (let number = 0; number < options.machines; number++) {
      const given = { number, base: folder, files, databaseUrl: database.url, publicUrl: PUBLIC_URL, settings: all }
      machines.push(await openMachine(given))
    }
    opened.push({ close: () => Promise.all(machines.map((machine) => machine.powerOff())) })
    await machines[0].powerOn()
    const users = await createUsers(machines[0], options.users)
    // The first one creates the tables.
    await machines[0].start()
    await machines[0].untilReady()
    await Promise.all(machines.slice(1).map((machine) => machine.start()))
    await Promise.all(machines.map((machine) => machine.untilReady()))
    const balancer = await openLoadBalancer({ base: folder, machines })
    opened.push(balancer)
    const sql = async (text, values) => connectDatabase(await database.primaryUrl()).query(text, values)
    // A machine on its own creates the tables with the first call that needs one.
    const client = createClient('stateless', { url: machines[0].url, token: OPERATOR_TOKEN })
    await client.call('TaskManager', { action: 'list', query: '' })
    await installAudit(sql)
    return {
      folder,
      files,
      kind,
      options,
      database,
      machines,
      balancer,
      users,
      sql,
      url: PUBLIC_URL,
      close,
      ...logs(folder),
    }
  } catch (error) {
    const tail = logs(folder).logTails(15)
    await close()
    error.message += `\n${tail}`
    throw error
  }
}

export async function createUsers(machine, count, prefix = 'user') {
  const users = []
  for (let number = 1; number <= count; number++) {
    const name = `${prefix}-${number}`
    const { token, id } = JSON.parse(await machine.command('token', 'create', '--user', name, '--name', name, '--json'))
    users.push({ name, token, tokenId: id })
  }
  return users
}

function machineSettings({ lease }) {
  return {
    MACHINE_LEASE_SECONDS: String(lease),
    ACCESS_LOG: 'off',
    HTTP_TOKEN: OPERATOR_TOKEN,
    PLAN_APPROVAL: 'model',
    BROWSER_PATH: 'off',
    SANDBOX_PIDS: '256',
    BASH_SOFT_LIMIT_MS: '90000',
  }
}

function logs(folder) {
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.log'))
  return {
    logTails: (lines) =>
      files()
        .map((name) => `--- ${name}\n${readFileSync(join(folder, name), 'utf8').split('\n').slice(-lines).join('\n')}`)
        .join('\n'),
    removeFiles: () => rmSync(folder, { recursive: true, force: true }),
  }
}
