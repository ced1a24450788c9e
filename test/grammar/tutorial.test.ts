// Follows the tutorial: writes each file when the page says so, runs each command and compares the output. The result
// is the example.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { blocksOf, readersFolder } from '../library/blocks.js'
import { cleanEnv } from '../support/client.js'
import { FOLDER } from './support.js'

const PAGE = 'docs/write-your-own.md'

/** A command after `$ `, and what it prints. */
function commandsIn(code: string): { readonly command: string; readonly output: string }[] {
  return code.split(/^\$ /m).flatMap((part) => {
    const end = part.indexOf('\n')
    return part === '' ? [] : [{ command: part.slice(0, end), output: part.slice(end + 1) }]
  })
}

test('following the tutorial produces its output, and finally the example', () => {
  const folder = readersFolder()
  cpSync(join(FOLDER, 'data'), join(folder, 'data'), { recursive: true })
  const env = cleanEnv()
  let runs = 0
  for (const { language, file, code, line } of blocksOf(PAGE)) {
    if (file !== undefined) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), code)
    }
    for (const { command, output } of language === 'console' ? commandsIn(code) : []) {
      const run = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8', timeout: 20_000 })
      expect([`${PAGE}:${line}`, run.stdout, run.stderr]).toEqual([`${PAGE}:${line}`, output, ''])
      runs++
    }
  }
  expect(runs).toBeGreaterThan(8)
  expect(filesIn(folder)).toEqual(filesIn(FOLDER))
})

test('the data quoted by the page exists', () => {
  const data = readFileSync(join(FOLDER, 'data/a13.yaml'), 'utf8')
  const quoted = blocksOf(PAGE).filter(({ language }) => language === 'yaml')
  expect(quoted).toHaveLength(1)
  for (const { code } of quoted) expect(data).toContain(code)
})

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const kept = names.filter((name) => /\.(mjs|yaml)$/.test(name) && !name.startsWith('node_modules')).toSorted()
  return Object.fromEntries(kept.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
