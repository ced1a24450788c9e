// Text of others reaches the person's terminal and the log without control characters: from skills and scripts of a
// cloned project through each command, and through every function that prints or logs, also new ones.

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, describe, expect, test, vi } from 'vitest'

import { createLog, createStderrWriter } from '@scorpiox/mcp/log'
import * as terminal from '@scorpiox/server/terminal/terminal'
import { cleanEnv, emptyFolder, PROGRAM, startServer } from './support/client.js'

const ESCAPE = '\u001B'
/** Sets the clipboard, clears the screen, sets the title, goes back in the line, reorders it, and rings. */
const HOSTILE = `a${ESCAPE}]52;c;ZXZpbA==\u0007b${ESCAPE}[2Jc\u009B31md\u009D0;t\u009Ce\rf\bg\u202Eh\u2066i\u200Fj\u0000k`
/** What a terminal obeys, except the line break and the tab. */
// oxlint-disable-next-line no-control-regex -- these control a terminal
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

describe('in this process', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** Everything that is written to stdout and stderr. */
  function captureWritten(): () => string {
    let written = ''
    const capture = (text: unknown, done?: unknown): boolean => {
      written += String(text)
      if (typeof done === 'function') done()
      return true
    }
    vi.spyOn(process.stdout, 'write').mockImplementation(capture)
    vi.spyOn(process.stderr, 'write').mockImplementation(capture)
    return () => written
  }

  const printFunctions = Object.entries(terminal).filter(([name]) => name.startsWith('print'))

  test('all print functions are known here', () => {
    expect(printFunctions.map(([name]) => name).sort()).toEqual([
      'print',
      'printColoured',
      'printError',
      'printErrorText',
      'printJson',
      'printText',
    ])
  })

  test.each(printFunctions)('%s writes no control character', async (name, print) => {
    const written = captureWritten()
    const given: unknown =
      name === 'printColoured' ? [{ text: HOSTILE }, { text: HOSTILE, colour: undefined }] : HOSTILE
    await Reflect.apply(print as (text: unknown) => Promise<void>, undefined, [given])
    expect(written()).toContain('k')
    expect(written()).not.toMatch(OBEYED)
  })

  test('colours are added to text without control characters', async () => {
    const written = captureWritten()
    await terminal.printColoured([{ text: `${ESCAPE}[8m+ hidden`, colour: 'green' }])
    expect(written()).toBe(`${ESCAPE}[32m\uFFFD[8m+ hidden${ESCAPE}[39m`)
  })

  test('printed JSON means the same', async () => {
    const written = captureWritten()
    await terminal.printJson(JSON.stringify([HOSTILE]))
    expect(JSON.parse(written())).toEqual([HOSTILE])
  })

  test.each(Object.keys(createLog('x', 'debug')) as (keyof ReturnType<typeof createLog>)[])(
    'a message of the level %s is one entry of the log, without control characters',
    (level) => {
      const written = captureWritten()
      createLog('server', 'debug')[level](`${HOSTILE}\nserver: error: forged\r\nserver: error: forged too`)
      const lines = written().split('\n')
      expect(lines.filter((line) => line.startsWith('server: '))).toEqual([lines[0]])
      expect(lines.join('')).not.toMatch(OBEYED)
      // What was there can still be seen.
      expect(lines[0]).toContain('\\u001b]52;c;')
    },
  )

  test('lines in another format keep their meaning', () => {
    const written = captureWritten()
    createStderrWriter(() => '')(`${JSON.stringify({ path: `${HOSTILE}\u009B` })}\n`)
    expect(written().slice(0, -1)).not.toMatch(OBEYED)
    expect(JSON.parse(written())).toEqual({ path: `${HOSTILE}\u009B` })
  })
})

describe('through the program', () => {
  const [home, project, tools] = [emptyFolder(), emptyFolder(), emptyFolder()]
  const skill = (name: string, description: string, body: string): void => {
    const folder = join(project, '.claude/skills', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${body}`,
    )
  }
  const script = (file: string, schema: object, exitCode = 0): void => {
    const path = join(tools, file)
    writeFileSync(path, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(schema)}\nEND\nexit ${exitCode}\n`)
    chmodSync(path, 0o755)
  }
  skill('hostile', HOSTILE, `The body. ${HOSTILE}`)
  script('plain.sh', { description: `First line ${HOSTILE}`, title: HOSTILE })
  script(`odd\n✓ forged: ok ${ESCAPE}[2J.sh`, { description: 'x' })
  script(`broken\nscorpiox-code: error: forged${ESCAPE}[2J.sh`, {}, 3)

  function run(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const env = cleanEnv({ HOME: home, SCRIPT_TOOLS: tools, LOG_LEVEL: 'debug' })
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { cwd: project, env }, (_, stdout, stderr) =>
        resolve({ stdout, stderr }),
      )
    })
  }

  test.each([
    ['call', 'InvokeSkill', 'skill_name=hostile'],
    ['call', 'InvokeSkill', 'skill_name=hostile', '--json'],
    ['call', 'plain'],
    ['call', 'Bash', "command=printf 'x\\033]52;c;ZXZpbA==\\007y'"],
    ['skills'],
    ['skills', '--json'],
    ['tools'],
    ['tools', '--json'],
    ['doctor'],
    ['doctor', '--json'],
    ['config', `${ESCAPE}[2J`],
    [`${ESCAPE}[2J`],
    ['call', `${ESCAPE}[2J`],
    ['inbox', '--once'],
    ['inbox', '--json'],
    ['state', 'path', '-e', `STATE_DIR=/tmp/${ESCAPE}[2J`],
  ])('scorpiox-code %s %s %s %s', async (...args) => {
    const { stdout, stderr } = await run(...args.filter((each) => each !== undefined))
    expect(stdout + stderr).not.toBe('')
    expect(stdout + stderr).not.toMatch(OBEYED)
    expect(
      `${stdout}${stderr}`.split('\n').filter((line) => /^✓ forged|^scorpiox-code: error: forged/.test(line)),
    ).toEqual([])
  })

  test('the log of a server has the names of scripts, and no line that they forged', async () => {
    const client = startServer({ cwd: project, env: { HOME: home, SCRIPT_TOOLS: tools, LOG_LEVEL: 'debug' } })
    await client.initialize('2025-11-25')
    await client.request('tools/list')
    await client.close()
    expect(client.stderr()).toContain('is left out')
    expect(client.stderr()).not.toMatch(OBEYED)
    expect(client.stderr()).not.toMatch(/^scorpiox-code: error: forged/m)
  })
})
