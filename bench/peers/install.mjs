// The peers by exact version, each in a folder of its own as npm makes it, and this server installed in the same way from its
// own package.

import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const PEERS = [
  {
    key: 'Desktop Commander',
    name: '@wonderwhy-er/desktop-commander',
    version: '0.2.52',
    bin: 'desktop-commander',
    args: () => [],
    // The newest that every registry has; only a spreadsheet library deep below uses it.
    overrides: { 'typedarray.prototype.slice': '1.0.5' },
    shell: (command, timeout = 30_000) => ({ name: 'start_process', arguments: { command, timeout_ms: timeout } }),
    endsOnTimeout: true,
  },
  {
    key: 'mcp-server-commands',
    name: 'mcp-server-commands',
    version: '0.5.0',
    bin: 'mcp-server-commands',
    args: () => [],
    shell: (command) => ({ name: 'run_command', arguments: { command } }),
    endsOnTimeout: false,
  },
  {
    key: 'server-everything',
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    bin: 'mcp-server-everything',
    args: () => [],
  },
  {
    key: 'server-filesystem',
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    bin: 'mcp-server-filesystem',
    args: (home) => [home],
  },
]

const OURS = {
  key: 'scorpiox-code',
  name: 'scorpiox-code',
  bin: 'scorpiox-code',
  args: () => [],
  shell: (command, timeout) => ({
    name: 'Bash',
    arguments: timeout === undefined ? { command } : { command, timeout },
  }),
  endsOnTimeout: true,
}

export function installPeers(folder) {
  mkdirSync(folder, { recursive: true })
  return [{ ...OURS, version: `file:${pack(folder)}` }, ...PEERS].map((peer) => installed(folder, peer))
}

function pack(folder) {
  const output = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)
  return join(folder, JSON.parse(output)[0].filename)
}

function installed(folder, peer) {
  const { name, version, overrides = {}, bin, args } = peer
  const place = join(folder, bin)
  const home = join(place, 'home')
  mkdirSync(join(home, 'project'), { recursive: true })
  const known = join(place, 'node_modules/.bin', bin)
  if (!existsSync(known) || version.startsWith('file:')) {
    process.stderr.write(`installing ${name} ${version}\n`)
    rmSync(join(place, 'node_modules'), { recursive: true, force: true })
    writeFileSync(
      join(place, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [name]: version }, overrides }),
    )
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], place)
  }
  const command = ['unshare', '--map-root-user', '--net', process.execPath, known, ...args(home)]
  return { ...peer, home, command, megabytes: sizeOf(join(place, 'node_modules')) / 1e6 }
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

function sizeOf(path) {
  const entry = lstatSync(path)
  if (!entry.isDirectory()) return entry.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
