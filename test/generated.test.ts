import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

import { test } from 'vitest'

test('README, docs and tool surfaces match the code', () => {
  const script = resolve(import.meta.dirname, '../scripts/generate.mjs')
  execFileSync(process.execPath, [script, '--check'], { stdio: ['ignore', 'inherit', 'inherit'] })
})
