// Installs the clients, each from its own lockfile in packages/<client>/ and without install scripts. Run by itself it
// installs those of the ordinary run: `node judges/agents/packages.mjs [client...]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { drivers } from './drivers.mjs'

/** @returns the folder of the client's package and the version that is installed */
export async function installClient({ id, folder: own = id, package: name }) {
  const folder = join(import.meta.dirname, 'packages', own)
  const installed = join(folder, 'node_modules/.package-lock.json')
  const locked = statSync(join(folder, 'package-lock.json')).mtimeMs
  if (!existsSync(installed) || statSync(installed).mtimeMs < locked) {
    const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let problem = ''
    npm.stderr.on('data', (data) => (problem += data))
    const [code] = await once(npm, 'close')
    const reasons = problem.split('\n').filter((line) => /^npm error \S/.test(line))
    if (code !== 0)
      throw new Error(
        `npm ci in ${folder} ended with code ${code}: ${reasons.slice(0, 4).join(' ').replaceAll('npm error ', '')}`,
      )
  }
  const manifest = join(folder, 'node_modules', name, 'package.json')
  if (!existsSync(manifest))
    throw new Error(`${name} was not installed: there is no build for ${process.platform}-${process.arch}`)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { folder: join(folder, 'node_modules'), version }
}

/** The emulator that keeps the screen of a client on a terminal. */
export const terminalEmulator = { id: 'terminal', package: '@xterm/headless' }

if (process.argv[1] === import.meta.filename) {
  const named = process.argv.slice(2)
  const wanted = drivers.filter(({ id, always }) => (named.length > 0 ? named.includes(id) : always))
  for (const one of [terminalEmulator, ...wanted]) await installClient(one)
}
