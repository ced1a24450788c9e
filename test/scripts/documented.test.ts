// The scripts of docs/script-tools.md work as printed.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { beforeAll, describe, expect, test } from 'vitest'

import { call, type Json, type TestClient } from '../support/client.js'
import { newScriptProject, scriptsOf, startIn } from './support.js'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/script-tools.md'), 'utf8')

/** Each file that the page names, with the code that follows. */
const documented: Readonly<Record<string, string>> = Object.fromEntries(
  [...PAGE.matchAll(/`~\/tools\/([^`]+)`[^`]*(?:`[^`\n]+`[^`]*)*```\w+\n([\s\S]*?)```/g)].map(
    ([, file = '', code = '']) => [file, code],
  ),
)

const hasPython = canRun('python3')

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('the page', () => {
  const scriptProject = newScriptProject(documented)
  let client: TestClient
  let tools: Readonly<Record<string, Json>>

  beforeAll(async () => {
    client = await startIn(scriptProject)
    tools = await scriptsOf(client)
  })

  test('has three scripts, and each is a tool', () => {
    expect(Object.keys(documented)).toEqual(['disk-usage.sh', 'word_count.py', 'release-date.mjs'])
    const names = ['disk-usage', 'release_date', ...(hasPython ? ['word_count'] : [])]
    expect(Object.keys(tools)).toEqual(names)
  })

  test('in bash', async () => {
    const { inputSchema } = tools['disk-usage']
    expect(inputSchema.required).toEqual(['folder'])
    expect(inputSchema.properties.count).toEqual({ type: 'integer', description: 'How many entries to show, e.g. 5' })
    mkdirSync(join(scriptProject.project, 'big'))
    writeFileSync(join(scriptProject.project, 'big', 'file'), 'x'.repeat(200_000))
    writeFileSync(join(scriptProject.project, 'small'), 'x')
    const { text, isError } = await call(client, 'disk-usage', { folder: '.', count: 2 })
    expect(isError).toBe(false)
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1]),
    ).toEqual(['.', './big'])
    const missing = await call(client, 'disk-usage', { folder: 'nowhere' })
    expect(missing.isError).toBe(true)
    expect(missing.text).toBe('There is no folder nowhere.\n[Exit code 1.]\n')
  })

  test.skipIf(!hasPython)('in Python', async () => {
    expect(tools.word_count.title).toBe('Count words')
    expect(tools.word_count.annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: false,
    })
    const { structured } = await call(client, 'word_count', { text: 'one two\nthree' })
    expect(structured).toEqual({ exitCode: 0, output: { words: 3, lines: 2 } })
    expect((await call(client, 'word_count', {})).text).toContain("'text'")
  })

  test('in Node', async () => {
    expect((await call(client, 'release_date', { from: '2026-03-02', days: 10 })).text).toBe('2026-03-16\n')
    expect((await call(client, 'release_date', { from: '2026-3-2', days: 1 })).text).toContain("'from'")
    const { isError, text } = await call(client, 'release_date', { from: '2026-99-02', days: 1 })
    expect([isError, text]).toEqual([true, '2026-99-02 is not a day of the calendar.\n[Exit code 1.]\n'])
  })
})
