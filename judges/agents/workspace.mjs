// A temporary home and project for one session of one client. Its path identifies every process of the session: clients
// pass HOME on to the servers they start even where they drop other variables.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export const program = resolve(import.meta.dirname, '../../dist/scorpiox-code.js')

export function createWorkspace(name) {
  const root = mkdtempSync(join(realpathSync(tmpdir()), `judge-${name}-`))
  const home = join(root, 'home')
  const project = join(root, 'project')
  const temporary = join(root, 'tmp')
  for (const folder of [home, project, temporary]) mkdirSync(folder)
  spawnSync('git', ['init', '--quiet', project])

  /** Writes a file below the session's folder; an object becomes JSON. */
  function write(path, content) {
    const file = resolve(root, path)
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2))
    return file
  }

  return {
    root,
    home,
    project,
    write,
    /** Sets members of a JSON file, top level only, and leaves the others as they are. */
    merge(path, members) {
      const file = resolve(root, path)
      const present = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
      return write(path, { ...present, ...members })
    },
    /** Nothing of the caller's environment but PATH: no configuration, no keys, no proxies. */
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_STATE_HOME: join(home, '.local/state'),
      XDG_CACHE_HOME: join(home, '.cache'),
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      NO_COLOR: '1',
    },
    append(path, text) {
      const file = resolve(root, path)
      return write(path, `${existsSync(file) ? readFileSync(file, 'utf8') : ''}${text}`)
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
}

/** Connects a client with `scorpiox-code install`. */
export function installInto(workspace, client, options = []) {
  const args = [program, 'install', client, '--yes', ...options]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: workspace.env,
    cwd: workspace.project,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`scorpiox-code install ${client} ended with ${status}: ${stdout}${stderr}`)
}

/** The command of the server, where `install` would put it: for clients that `install` does not know. */
export function writeLauncher(workspace, command = [process.execPath, program]) {
  const script = `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(' ')} "$@"\n`
  const file = workspace.write('home/.scorpiox/scorpiox-code', script)
  chmodSync(file, 0o755)
  return file
}

/** Puts the tap between the installed command and the server; the client's configuration stays as `install` wrote it. */
export function tapServer(workspace) {
  const log = workspace.write('wire.jsonl', '')
  writeLauncher(workspace, [process.execPath, join(import.meta.dirname, 'tap.mjs'), log, process.execPath, program])
  return () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .map(({ from, line }) => ({ from, message: JSON.parse(line) }))
}
