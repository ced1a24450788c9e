// Runs a command as on a machine without some programs: `node scripts/without-programs.mjs bwrap,chromium* npm test`.
// The PATH of the command is one directory with links to all other programs. CI is unset, because CI=true counts skipped
// tests as failed.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const [names, command, ...args] = process.argv.slice(2)
if (names === undefined || command === undefined) {
  console.error('usage: node scripts/without-programs.mjs <name,name*,...> <command> [argument...]')
  process.exit(2)
}
const patterns = names.split(',')
const folder = mkdtempSync(join(tmpdir(), 'without-programs-'))
let status = 1
try {
  linkOthers()
  const env = { ...process.env, PATH: folder }
  delete env.CI
  const result = spawnSync(command, args, { env, stdio: 'inherit' })
  if (result.error) console.error(`${command} cannot be started: ${result.error.message}`)
  status = result.status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = status

function linkOthers() {
  const linked = new Set()
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    if (!existsSync(directory)) continue
    for (const name of readdirSync(directory)) {
      // The first directory in PATH takes precedence.
      if (isHidden(name) || linked.has(name)) continue
      linked.add(name)
      symlinkSync(join(directory, name), join(folder, name))
    }
  }
}

function isHidden(name) {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))
}
