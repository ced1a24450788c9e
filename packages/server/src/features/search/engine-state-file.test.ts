// Engine states survive the process, and no problem with the file stops a search.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MODES } from '../../../../../test/support/runtime.js'
import { type EngineState, openEngineStateFile } from './engine-state-file.js'

const BLOCKED: EngineState = { until: 9e12, why: 'challenge', strikes: 1, probeUntil: 0, drops: 1, drawnAt: 1 }

function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'scorpiox-engines-'))
}

test('reads what another process has written', () => {
  const path = join(emptyFolder(), 'deep', 'engines.json')
  const [one, other] = [openEngineStateFile(path), openEngineStateFile(path)]
  expect(one.change((states) => states.set('exa', BLOCKED).size)).toBe(1)
  expect(other.read().get('exa')).toEqual(BLOCKED)
  other.change((states) => states.set('brave', BLOCKED))
  expect([...one.read().keys()]).toEqual(['exa', 'brave'])
  expect(one.problem()).toBeUndefined()
  expect(statSync(path).mode & 0o777).toBe(MODES.private)
})

test('does not write an unchanged state', () => {
  const path = join(emptyFolder(), 'engines.json')
  const states = openEngineStateFile(path)
  states.change((all) => all.get('exa'))
  expect(existsSync(path)).toBe(false)
})

test.each(['', '{', 'null', '[]', '{"engines":[]}', '\u0000'.repeat(100), '{"engines":{"exa":{"until":"soon"}}}'])(
  'a damaged file is a fresh start: %j',
  (text) => {
    const path = join(emptyFolder(), 'engines.json')
    writeFileSync(path, text)
    const states = openEngineStateFile(path)
    expect([...states.read()]).toEqual([])
    states.change((all) => all.set('exa', BLOCKED))
    expect(openEngineStateFile(path).read().get('exa')).toEqual(BLOCKED)
  },
)

test('reports a damaged file', () => {
  const path = join(emptyFolder(), 'engines.json')
  writeFileSync(path, '{')
  const states = openEngineStateFile(path)
  states.change((all) => all.set('exa', BLOCKED))
  expect(states.problem()).toMatch(/is damaged/)
})

test('uses memory, and reports it, if the file is too large or a folder, or its folder is a file', () => {
  const folder = emptyFolder()
  const huge = join(folder, 'huge.json')
  writeFileSync(huge, 'x'.repeat(100_000))
  expect([...openEngineStateFile(huge).read()]).toEqual([])
  mkdirSync(join(folder, 'taken.json', 'inside'), { recursive: true })
  const paths = [join(folder, 'taken.json'), join(huge, 'engines.json')]
  if (existsSync('/proc/self')) paths.push('/proc/nowhere/engines.json')
  for (const path of paths) {
    const states = openEngineStateFile(path)
    states.change((all) => all.set('exa', BLOCKED))
    expect(states.read().get('exa'), path).toEqual(BLOCKED)
    expect(
      states.change((all) => all.get('exa')),
      path,
    ).toEqual(BLOCKED)
    expect(states.problem(), path).toMatch(/cannot be (written|read)/)
  }
})

test('does not wait long for a held lock', () => {
  const path = join(emptyFolder(), 'engines.json')
  writeFileSync(`${path}.lock`, 'other')
  const states = openEngineStateFile(path)
  states.change((all) => all.set('exa', BLOCKED))
  expect(states.read().get('exa')).toEqual(BLOCKED)
  expect(states.problem()).toMatch(/locked by another process/)
})

test('a process killed while it replaces the file leaves a complete file', async () => {
  const path = join(emptyFolder(), 'engines.json')
  const states = openEngineStateFile(path)
  states.change((all) => all.set('kept', BLOCKED))
  // Reads and replaces the file in a loop until it is killed.
  const script = `
    const { readFileSync, renameSync, writeFileSync } = require('node:fs')
    process.stdout.write('.')
    for (;;) { writeFileSync(${JSON.stringify(`${path}.x`)}, readFileSync(${JSON.stringify(path)})); renameSync(${JSON.stringify(`${path}.x`)}, ${JSON.stringify(path)}) }`
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    for (let reading = 0; reading < 200; reading++) expect(states.read().get('kept')).toEqual(BLOCKED)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ engines: { kept: BLOCKED } })
  }
  expect(readdirSync(join(path, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
