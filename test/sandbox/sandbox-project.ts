// A project with targets for escapes: a home with secrets, files, sockets and a process outside, which all detect
// access. It is outside /tmp, which the sandbox replaces.

import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { HIDDEN_FILES } from './planting-corpus.js'

export const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path))

export interface SandboxProject {
  readonly base: string
  readonly home: string
  readonly project: string
  readonly state: string
  readonly out: string
  /** The content of every file that must not be read. */
  readonly secret: string
  readonly env: Readonly<Record<string, string>>
  /** How often anything outside was accessed. */
  packets(): number
  victimLives(): boolean
  /** Every file outside the writable part of the project, with its content. */
  snapshot(): ReadonlyMap<string, string>
  /** Restores every file. */
  rebuild(): void
  close(): void
}

export async function buildSandboxProject(): Promise<SandboxProject> {
  const base = mkdtempSync('/var/tmp/scorpiox-sandbox-')
  const shared = mkdtempSync('/dev/shm/scorpiox-sandbox-')
  const temporary = mkdtempSync('/tmp/scorpiox-sandbox-')
  const secret = `secret-${Math.random().toString(36).slice(2)}`
  const [home, out, sockets] = ['home', 'out', 'sockets'].map((name) => join(base, name)) as [string, string, string]
  const [project, state] = [join(home, 'project'), join(home, '.scorpiox')]
  mkdirSync(sockets)
  const rebuild = (): void => writeFiles({ base, home, project, state, out, secret, shared, temporary })
  rebuild()
  const listeners = await listen(sockets, secret)
  const victim = spawn('sleep', ['1000'], { stdio: 'ignore', env: { PATH: process.env.PATH, VICTIM_SECRET: secret } })
  return {
    base,
    home,
    project,
    state,
    out,
    secret,
    env: {
      HOME: home,
      OUT: out,
      PROJECT: project,
      STATE: state,
      SHARED: shared,
      TEMPORARY: temporary,
      VICTIM: String(victim.pid),
      SERVER: String(process.pid),
      SSH_AUTH_SOCK: join(sockets, 'stream'),
      DOCKER_HOST: `unix://${join(sockets, 'stream')}`,
      ...listeners.env,
    },
    packets: () => listeners.packets(),
    victimLives: () => victim.exitCode === null && victim.signalCode === null,
    snapshot: () => new Map([base, shared, temporary].flatMap((folder) => [...describe(folder, project)])),
    rebuild,
    close() {
      victim.kill('SIGKILL')
      listeners.close()
      for (const folder of [base, shared, temporary]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface ProjectFiles extends Pick<SandboxProject, 'base' | 'home' | 'project' | 'state' | 'out' | 'secret'> {
  readonly shared: string
  readonly temporary: string
}

function writeFiles({ base, home, project, state, out, secret, shared, temporary }: ProjectFiles): void {
  for (const folder of [home, out, join(base, 'elsewhere')]) rmSync(folder, { recursive: true, force: true })
  const put = (path: string, text: string): void => {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
  const secrets = ['.ssh/id', '.netrc', '.config/gh/hosts.yml', '.claude/scorpiox-env.txt', '.bash_history']
  for (const path of secrets) put(join(home, path), secret)
  put(join(state, 'tokens.json'), secret)
  put(join(project, 'deep', 'secrets', 'key'), secret)
  put(join(base, 'elsewhere', 'aws', 'credentials'), secret)
  symlinkSync(join(base, 'elsewhere', 'aws'), join(home, '.aws'))
  put(join(home, '.bashrc'), '# nothing')
  put(join(home, 'other', 'private.txt'), 'of the user')
  put(join(out, 'victim'), 'untouched')
  put(join(out, 'folder', 'file'), 'untouched')
  put(join(out, 'run.sh'), '#!/bin/sh\n')
  put(join(project, 'node_modules', 'server', 'main.js'), '// the server itself')
  put(join(project, 'node_modules', 'sharp', 'index.js'), '// a package of the server')
  put(join(project, 'tools', 'node'), 'the runtime')
  put(join(project, 'scripts', 'tool'), '#!/bin/sh\n')
  put(join(project, 'tls.pem'), 'a certificate')
  put(join(project, '.mcp.json'), '{}')
  put(join(project, 'opencode.json'), '{}')
  put(join(project, '.vscode', 'tasks.json'), '{}')
  put(join(project, '.git', 'worktrees', 'outer', 'gitdir'), join(home, 'worktree', '.git\n'))
  put(join(project, '.git', 'worktrees', 'outer', 'commondir'), '../..\n')
  for (const path of HIDDEN_FILES) put(join(home, path), secret)
  put(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  put(
    join(project, '.git', 'config'),
    '[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tworktreeConfig = true\n',
  )
  for (const folder of ['objects', 'refs/heads', 'hooks']) mkdirSync(join(project, '.git', folder), { recursive: true })
  put(join(project, '.git', 'hooks', 'pre-push.sample'), '#!/bin/sh\n')
  for (const folder of [shared, temporary]) put(join(folder, 'canary'), secret)
  chmodSync(join(out, 'run.sh'), 0o755)
}

function describe(path: string, project: string): ReadonlyMap<string, string> {
  const stat = lstatSync(path)
  const { mode, size, uid, gid } = stat
  const content = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, 'latin1') : ''
  // The size of a folder depends on the file system.
  const self = `${mode.toString(8)} ${uid}:${gid} ${stat.isDirectory() ? '' : size} ${content}`
  const inside =
    stat.isDirectory() && path !== join(project, 'work')
      ? readdirSync(path).flatMap((name) => [...describe(join(path, name), project)])
      : []
  return new Map(path === join(project, 'work') ? [] : [[path, self], ...inside])
}

interface Listeners {
  readonly env: Readonly<Record<string, string>>
  packets(): number
  close(): void
}

async function listen(sockets: string, secret: string): Promise<Listeners> {
  let count = 0
  const tcp = createServer((socket) => {
    count++
    socket.on('error', () => {}).end('hello')
  })
  tcp.listen(0, '::')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const stream = createServer((socket) => {
    count++
    socket.on('error', () => {}).end('hello')
  })
  stream.listen(join(sockets, 'stream'))
  await once(stream, 'listening')
  const udp = createSocket('udp6', () => count++)
  udp.bind(port, '::')
  await once(udp, 'listening')
  const name = `scorpiox-${process.pid}`
  const helper = PYTHON === undefined ? undefined : await listenWithPython(PYTHON, sockets, name, secret, () => count++)
  return {
    env: { PORT: String(port), STREAM: join(sockets, 'stream'), DGRAM: join(sockets, 'dgram'), ABSTRACT: name },
    packets: () => count,
    close() {
      for (const each of [tcp, stream, udp]) each.close()
      helper?.kill('SIGKILL')
    },
  }
}

/**
 * Datagrams over Unix sockets and abstract names, which Node does not support. A client that connects gets an open
 * file.
 */
const HELPER = String.raw`
import array, os, selectors, socket, sys
path, name, secret = sys.argv[1:4]
select = selectors.DefaultSelector()
for kind, address in ((socket.SOCK_DGRAM, path + "/dgram"), (socket.SOCK_DGRAM, "\0" + name), (socket.SOCK_STREAM, "\0" + name + "-stream")):
    one = socket.socket(socket.AF_UNIX, kind)
    one.bind(address)
    if kind == socket.SOCK_STREAM: one.listen(64)
    select.register(one, selectors.EVENT_READ)
print("ready", flush=True)
held = os.memfd_create("held")
os.write(held, secret.encode())
while True:
    for key, _ in select.select():
        if key.fileobj.type == socket.SOCK_STREAM:
            peer, _ = key.fileobj.accept()
            os.lseek(held, 0, 0)
            try: socket.send_fds(peer, [b"x"], [held])
            except OSError: pass # Gone already.
            peer.close()
        else: key.fileobj.recv(65536)
        print("packet", flush=True)
`

async function listenWithPython(
  python: string,
  sockets: string,
  name: string,
  secret: string,
  onPacket: () => void,
): Promise<ChildProcess> {
  const child = spawn(python, ['-c', HELPER, sockets, name, secret], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  lines.on('line', onPacket)
  return child
}
