// Runs a command of the built program with --json, without the settings of this machine.

import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function askProgram(command) {
  const program = fileURLToPath(new URL('../dist/scorpiox-code.js', import.meta.url))
  const env = { PATH: process.env.PATH, HOME: join(tmpdir(), 'no-settings') }
  return JSON.parse(
    execFileSync(process.execPath, [program, command, '--json'], { cwd: tmpdir(), env, encoding: 'utf8' }),
  )
}
