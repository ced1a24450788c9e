// The README and the page of settings are correct: the settings can be pasted where it says, and the commands exist.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test } from 'vitest'

import { parseArguments } from '@scorpiox/app/arguments'
import { COMMAND_HELP } from '@scorpiox/app/cli/help'
import { cleanEnv, emptyFolder, PROGRAM } from './support/client.js'

const ROOT = resolve(import.meta.dirname, '..')
const PAGES = ['README.md', 'docs/ko/README.md', 'docs/ar/README.md']
const SETTINGS_PAGES = ['docs/configuration.md', 'docs/ko/configuration.md', 'docs/ar/configuration.md']

function blocks(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, code = '']) => code)
}

/** The output of `config` for a file with this text. */
async function configWith(file: string, text: string, folders: { readonly home: string; readonly cwd: string }) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const options = { cwd: folders.cwd, env: cleanEnv({ HOME: folders.home }) }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, 'config', '--json'], options)
  const { options: settings }: { options: readonly { key: string; value: unknown; source: string }[] } =
    JSON.parse(stdout)
  return { stderr, set: settings.filter(({ source }) => source.startsWith(file)) }
}

describe.each(SETTINGS_PAGES)('the settings of %s', (page) => {
  const example = blocks(page).find((code) => code.startsWith('TOOL_WEBSEARCH=0')) ?? ''
  const keys = example.match(/^\w+/gm) ?? []

  test('can be pasted into the file that it names', async () => {
    const [home, cwd] = [emptyFolder(), emptyFolder()]
    const { stderr, set } = await configWith(join(home, '.claude/scorpiox-env.txt'), example, { home, cwd })
    expect(stderr).toBe('')
    expect(set.map(({ key, value }) => [key, value])).toEqual([
      ['BASH_MAX_OUTPUT', 60_000],
      ['SANDBOX', 'workspace'],
      ['FETCH_ALLOW', 'localhost:3000'],
      ['TOOL_WEBSEARCH', false],
    ])
    expect(readFileSync(join(ROOT, page), 'utf8')).toContain('`~/.claude/scorpiox-env.txt`')
  })

  test('but only the first two of them into the file of a project', async () => {
    const [home, cwd] = [emptyFolder(), emptyFolder()]
    const { stderr, set } = await configWith(join(cwd, 'scorpiox-env.txt'), example, { home, cwd })
    expect(new Set(set.map(({ key }) => key))).toEqual(new Set(keys.slice(0, 2)))
    expect(stderr.match(/\w+(?= cannot be set by a project)/g)).toEqual(keys.slice(2))
  })
})

test.each(PAGES)('%s has at most 120 lines', (page) => {
  // Arabic needs divisions for the direction of its text, each with an empty line on its inner side.
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/<div dir="\w+">\n\n|\n<\/div>\n/g, '')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})

test.each(PAGES)('%s lists the installation from a clone, the main job and the tests as one line each', (page) => {
  const lines = blocks(page).filter((code) => code.startsWith('npm ci'))
  expect(lines).toEqual([
    'npm ci && npm run build && node dist/scorpiox-code.js install\n',
    'npm ci && npm start\n',
    'npm ci && npm test\n',
  ])
})

test('every command of the README exists, with its options', () => {
  const commands = blocks('README.md').flatMap((code) => code.match(/^(?:npx )?scorpiox-code .*$/gm) ?? [])
  const read = commands.map((line) => {
    const tokens: readonly string[] = line.replace(/\s#.*$/, '').match(/"[^"]*"|\S+/g) ?? []
    return parseArguments(tokens.slice(tokens.indexOf('scorpiox-code') + 1)).command
  })
  expect(read.length).toBeGreaterThan(7)
  expect(read.filter((command) => command === undefined || !COMMAND_HELP.has(command))).toEqual([])
})
