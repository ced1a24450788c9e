// Checks the shell scripts of the repository with shellcheck, if it is installed.

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const scripts = readdirSync(join(root, 'packages'), { recursive: true })
  .filter((file) => file.endsWith('.sh') && !file.includes('node_modules'))
  .map((file) => join('packages', file))
const files = [...scripts, '.ci/run']
const { error, status } = spawnSync('shellcheck', files, { cwd: root, stdio: 'inherit' })
if (error?.code === 'ENOENT') console.log(`shellcheck is not installed: ${files.length} shell scripts were not checked`)
else process.exitCode = status ?? 1
