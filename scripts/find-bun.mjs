// Finds the Bun that builds executables: $BUN, bun in PATH, or that of judges/. The version is pinned in judges/package.json.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const judges = resolve(import.meta.dirname, '../judges')
const { optionalDependencies } = JSON.parse(readFileSync(join(judges, 'package.json'), 'utf8'))
const [, VERSION] = /@([\d.]+)$/.exec(optionalDependencies.bun)

/** Returns its path; calls `stop` with instructions if there is none. */
export function findBun(stop) {
  const named = process.env.BUN
  if (named) return hasRequiredVersion(named) ? named : stop(`BUN=${named} is not Bun ${VERSION}, which is required.`)
  if (hasRequiredVersion('bun')) return 'bun'
  const ours = join(judges, 'node_modules/bun/bin/bun')
  if (!existsSync(ours) && process.platform === 'linux' && process.arch === 'x64') install()
  if (hasRequiredVersion(ours)) return ours
  return stop(
    `Building the executable requires Bun ${VERSION}, which was not found: npm install -g bun@${VERSION}, or set BUN.`,
  )
}

function hasRequiredVersion(file) {
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.trim() === VERSION
}

function install() {
  console.error('installing Bun and the judges (npm ci in judges/)')
  spawnSync('npm', ['ci'], { cwd: judges, stdio: ['ignore', 'ignore', 'inherit'] })
}
