// A host of the fleet: network, host name, process numbers and mounts of its own, connected to the bridge of the fleet by
// a veth pair. Used for machines, database nodes and etcd. Runs as root inside the namespaces that scripts/fleet.mjs made,
// so that nothing of it outlives the run.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { eventually } from './wait.mjs'

const BRIDGE = 'fleet'
const POWER_OFF_LIMIT_MS = 3_000
export const BRIDGE_ADDRESS = '10.77.0.1'

/** An address of the data link that no host has: packets to it are lost without an error. */
const NO_HOST = '02:00:00:00:00:99'

// The first process of the host: it ends with its input, and everything of the host ends with it.
const INIT = `set -e
read -r pid _ < /proc/self/stat
hostname "$HOST_NAME"
mount --make-rprivate /
mount -t proc proc /proc
ip link set lo up
eval "$HOST_SETUP"
echo "ready $pid"
while read -r _; do :; done`

export function openBridge() {
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', BRIDGE, 'type', 'bridge')
  ip('addr', 'add', `${BRIDGE_ADDRESS}/24`, 'dev', BRIDGE)
  ip('link', 'set', BRIDGE, 'up')
}

/** `setup` is shell text that is run first, for mounts. */
export async function openHost({ name, address, setup = '' }) {
  const init = await startInit(name, setup)
  const link = `v${address.split('.').at(-1)}`
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(init.pid))
  ip('link', 'set', link, 'master', BRIDGE, 'up')
  const inside = (...args) => execFileSync('nsenter', ['-t', String(init.pid), '-n', 'ip', ...args], { stdio: 'pipe' })
  inside('addr', 'add', `${address}/24`, 'dev', 'eth0')
  inside('link', 'set', 'eth0', 'up')
  const children = new Set()
  let isOn = true

  /** Starts a program on the host; `pid` is its number as seen from outside. Without `log` its output is collected. */
  async function start(command, { env, cwd = '/', log, user, input = 'ignore' } = {}) {
    const output = log === undefined ? 'pipe' : openSync(log, 'a')
    const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups']
    const args = ['-t', String(init.pid), '-m', '-u', '-p', '-n', `--wdns=${cwd}`, ...as, ...command]
    const child = spawn('nsenter', args, { env, stdio: [input, output, output] })
    if (typeof output === 'number') closeSync(output)
    children.add(child)
    child.once('exit', () => children.delete(child))
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk))
    // Not its exit, which may come before its last output.
    const exited = once(child, 'close').then(([code, reason]) => code ?? reason)
    let hasExited = false
    void exited.then(() => (hasExited = true))
    const [pid] = await eventually(`${name}: ${command[0]} is started`, () => childrenOf(child.pid), {
      fits: (pids) => hasExited || pids.length > 0,
    })
    const signalBoth = (kind) => {
      sendSignal(pid, kind)
      // nsenter stops itself with its program; stopped, it would keep the namespace of a dead one.
      if (kind === 'SIGCONT') child.kill(kind)
    }
    return { pid, exited, output: () => text, signal: signalBoth }
  }

  return {
    name,
    address,
    start,
    /** No packet passes in either direction; connections stay open. */
    cut: () => ip('link', 'set', link, 'down'),
    reconnect: () => ip('link', 'set', link, 'up'),
    /** Packets to this address are lost without an error; those from it still arrive. */
    loseRouteTo: (other) => inside('neigh', 'replace', other, 'lladdr', NO_HOST, 'dev', 'eth0', 'nud', 'permanent'),
    restoreRouteTo: (other) => inside('neigh', 'del', other, 'dev', 'eth0'),
    /** As without power: no other host is informed. */
    async powerOff() {
      if (!isOn) return
      isOn = false
      ip('link', 'set', link, 'down')
      sendSignal(init.pid, 'SIGKILL')
      for (const child of children) child.kill('SIGKILL')
      // A process that cannot end yet keeps the namespace for a while; without its link it reaches no other host.
      await Promise.race([init.exited, sleep(POWER_OFF_LIMIT_MS)])
      try {
        ip('link', 'del', link)
      } catch {
        // It is gone as soon as the network of the host is.
      }
    },
  }
}

async function startInit(name, setup) {
  const env = { PATH: process.env.PATH, HOST_NAME: name, HOST_SETUP: setup }
  const flags = ['--mount', '--uts', '--ipc', '--pid', '--net', '--fork', '--kill-child']
  const child = spawn('unshare', [...flags, 'bash', '-c', INIT], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit')
  const early = exited.then(([code]) => {
    throw new Error(`the namespaces of ${name} could not be made (${code}): ${errors}`)
  })
  early.catch(() => {})
  const ready = eventually(`the namespaces of ${name}`, () => /ready (\d+)/.exec(output), { limitMs: 60_000 })
  const [, pid] = await Promise.race([ready, early])
  return { pid: Number(pid), exited }
}

/** Empty if the process has ended. */
function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function sendSignal(pid, kind) {
  try {
    process.kill(pid, kind)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function ip(...args) {
  execFileSync('ip', args, { stdio: 'pipe' })
}
