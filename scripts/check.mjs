// Runs all checks of package.json (`check:*`) at once, prints the output of each when it ends, and fails if one failed.
// check:generated follows check:lint, because it builds dist/, which the linter reads: examples import the package.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const names = Object.keys(scripts).filter((name) => name.startsWith('check:'))
const lint = run('check:lint')
const generated = lint.then(() => run('check:generated'))
const others = names.filter((name) => name !== 'check:lint' && name !== 'check:generated').map(run)
const codes = await Promise.all([lint, generated, ...others])
process.exitCode = codes.every((code) => code === 0) ? 0 : 1

async function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { shell: process.platform === 'win32' })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  process.stdout.write(Buffer.concat(chunks))
  if (code !== 0) process.stdout.write(`npm run ${name} failed\n`)
  return code
}
