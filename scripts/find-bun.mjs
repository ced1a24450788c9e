// The Bun that builds executables: $BUN, one in PATH, or that of judges/, whose lockfile says which version it is.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const judges = resolve(import.meta.dirname, '../judges')
const { optionalDependencies } = JSON.parse(readFileSync(join(judges, 'package.json'), 'utf8'))
const [, VERSION] = /@([\d.]+)$/.exec(optionalDependencies.bun)

/** Its path; `stop` is told in a sentence what to do where there is none. */
export function findBun(stop) {
  const named = process.env.BUN
  if (named) return isRight(named) ? named : stop(`BUN=${named} is not Bun ${VERSION}, which this is made with.`)
  if (isRight('bun')) return 'bun'
  const ours = join(judges, 'node_modules/bun/bin/bun')
  if (!existsSync(ours) && process.platform === 'linux' && process.arch === 'x64') install()
  if (isRight(ours)) return ours
  return stop(
    `The executable is made with Bun ${VERSION}, which is not here: npm install -g bun@${VERSION}, or set BUN.`,
  )
}

function isRight(file) {
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.trim() === VERSION
}

function install() {
  console.error('installing Bun and the judges (npm ci in judges/)')
  spawnSync('npm', ['ci'], { cwd: judges, stdio: ['ignore', 'ignore', 'inherit'] })
}
