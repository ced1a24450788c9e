// A machine of the fleet: a host with a project folder, HOME and STATE_DIR of its own (or a project folder shared with
// the other machines) that runs `scorpiox-code serve --http`. Its faults are started here too.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { sendRequest } from './http-client.mjs'
import { openHost } from './namespace.mjs'
import { FAKETIME } from './requirements.mjs'
import { eventually } from './wait.mjs'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const PROJECT = '/srv/project'
const PORT = 8808

const run = promisify(execFile)

/** `settings` are environment variables of the server; `files` is local or shared. */
export async function openMachine({ number, base, files, databaseUrl, publicUrl, settings }) {
  const name = `machine-${'abcdefgh'[number]}`
  const address = `10.77.0.${11 + number}`
  const disk = join(base, name)
  const project = join(files === 'shared' ? base : disk, 'project')
  for (const folder of [join(disk, 'home'), join(disk, 'state'), project]) mkdirSync(folder, { recursive: true })
  const log = join(base, `${name}.log`)
  const url = `http://${address}:${PORT}`
  let clock = ''
  let host
  let server

  const environment = () => ({
    PATH: process.env.PATH,
    HOME: '/srv/home',
    STATE_DIR: '/srv/state',
    DATABASE_URL: withApplicationName(databaseUrl, name),
    ADVERTISE_URL: url,
    WORKSPACE_FILES: files,
    PUBLIC_URL: publicUrl,
    ALLOWED_HOSTS: `${address}:${PORT}`,
    ...settings,
    ...(clock !== '' && { LD_PRELOAD: FAKETIME, FAKETIME: clock, FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
  })

  async function powerOn() {
    const binds = Object.entries({ program: REPOSITORY, home: join(disk, 'home'), state: join(disk, 'state'), project })
    const setup = [
      'mount -t tmpfs -o mode=755 fleet /srv',
      ...binds.map(([to, from]) => `mkdir /srv/${to} && mount --bind '${from}' /srv/${to}`),
      `mount --bind '${copyBuild(base)}' /srv/program/dist`,
      'mount -t tmpfs -o mode=1777 fleet /tmp',
      // Control groups are those of the test machine: a server would remove the groups of process numbers it does not see.
      'mount -t tmpfs -o ro fleet /sys/fs/cgroup',
    ]
    host = await openHost({ name, address, setup: setup.join('\n') })
  }

  async function start() {
    if (!host) await powerOn()
    const command = [process.execPath, '/srv/program/dist/scorpiox-code.js', 'serve', '--http']
    server = await host.start([...command, '--host', address, '--port', String(PORT), '--behind-proxy'], {
      env: environment(),
      cwd: PROJECT,
      log,
    })
  }

  const machine = {
    name,
    address,
    url,
    log,
    powerOn,
    start,
    isReady: () => isOk(url, '/readyz'),
    isAlive: () => isOk(url, '/healthz'),
    untilReady: (limitMs = 90_000) => eventually(`${name} is ready`, () => isOk(url, '/readyz'), { limitMs }),
    /** Runs a command of the program on the machine; resolves to its output. */
    async command(...args) {
      const program = await host.start([process.execPath, '/srv/program/dist/scorpiox-code.js', ...args], {
        env: environment(),
        cwd: PROJECT,
      })
      const code = await program.exited
      const output = program.output()
      if (code !== 0) throw new Error(`${args.join(' ')} on ${name} ended with ${code}: ${output}`)
      return output
    },
    /** SIGTERM; resolves to the exit code. */
    async stop() {
      server.signal('SIGTERM')
      return server.exited
    },
    exited: () => server.exited,
    async kill() {
      server.signal('SIGKILL')
      await server.exited
    },
    freeze: () => server.signal('SIGSTOP'),
    resume: () => server.signal('SIGCONT'),
    cut: () => host.cut(),
    reconnect: () => host.reconnect(),
    loseRouteTo: (...addresses) => addresses.forEach(host.loseRouteTo),
    restoreRouteTo: (...addresses) => addresses.forEach(host.restoreRouteTo),
    async powerOff() {
      await host?.powerOff()
      host = undefined
    },
    /** The offset of the wall clock from the next start on, such as +1h; needs Debian's package faketime. */
    setClock: (offset) => (clock = offset),
    processes: async () => (await run('ps', ['-o', 'pid,args', '--ppid', String(server.pid)])).stdout,
  }
  return machine
}

/** A copy, because another build may replace the files while the machines run. */
function copyBuild(base) {
  const copy = join(base, 'dist')
  if (!existsSync(copy)) cpSync(join(REPOSITORY, 'dist'), copy, { recursive: true, filter: isServed })
  return copy
}

/** Executables and packages for other programs are large. */
function isServed(path) {
  return !/\/dist\/(?:scorpiox-code[^/]*|[^/]*\.(?:mcpb|tgz))$/.test(path) || path.endsWith('.js')
}

async function isOk(url, path) {
  try {
    return (await sendRequest(url, { method: 'GET', path, limitMs: 2_000 })).status === 200
  } catch {
    return false
  }
}

function withApplicationName(address, name) {
  const url = new URL(address)
  url.searchParams.set('application_name', name)
  return url.href
}
