// Follows the tutorial with the packed library and nothing else: writes each file when the page says so, runs each command
// and compares the output. The example has the same files, apart from its data and its additional tools.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { blocksOf } from '../library/blocks.js'
import { installPacked, packLibrary } from '../package/pack-library.js'
import { cleanEnv, emptyFolder } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { FOLDER } from './support.js'

const PAGE = 'docs/write-your-own.md'
/** The example has more data and one more tool. */
const DIFFERENT = ['server.mjs', 'verbs.mjs']

const running = new Set<ChildProcess>()

afterAll(async () => {
  for (const child of running) {
    const exited = once(child, 'exit')
    // The whole group: the shell, and the server it started.
    process.kill(-child.pid!, 'SIGTERM')
    await exited
  }
})

/** A command after `$ `, and what it prints. */
function commandsIn(code: string): { readonly command: string; readonly output: string }[] {
  return code.split(/^\$ /m).flatMap((part) => {
    const end = part.indexOf('\n')
    return part === '' ? [] : [{ command: part.slice(0, end), output: part.slice(end + 1) }]
  })
}

/** Starts a command that does not end, and returns when it has printed something that fits. */
async function startCommand(command: string, cwd: string, fits: (output: string) => boolean): Promise<string> {
  const child = spawn('sh', ['-c', command], { cwd, env: cleanEnv(), detached: true })
  running.add(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await eventually(() => fits(output))
  return output
}

test('following the tutorial produces its output, and the files of the example', async () => {
  const folder = emptyFolder()
  const { filename } = packLibrary(folder)
  let port = ''
  const ran: string[] = []
  const run = (command: string) => {
    ran.push(command.split(' ').slice(0, 2).join(' '))
    return spawnSync('sh', ['-c', command], { cwd: folder, env: cleanEnv(), encoding: 'utf8', timeout: 60_000 })
  }

  for (const { language, file, code, line } of blocksOf(PAGE)) {
    if (file !== undefined) writeFileSync(join(folder, file), code)
    for (const command of language === 'sh' ? code.trimEnd().split('\n') : []) {
      if (command === 'npm install @scorpiox/mcp') installPacked(filename, folder)
      else if (command === 'npm init -y') expect(run(command).status).toBe(0)
      else if (command.startsWith('npx scorpiox-mcp dev')) {
        await startCommand(command, folder, (output) => /http:\/\/127\.0\.0\.1:\d+\/#/.test(output))
      } else expect(command).toMatch(/^mkdir grammar && cd grammar$|^claude mcp add /)
    }
    for (const { command, output } of language === 'console' ? commandsIn(code) : []) {
      if (command.endsWith('--http')) {
        const printed = await startCommand(`PORT=0 ${command}`, folder, (text) => text.endsWith('\n'))
        port = /:(\d+)\//.exec(printed)?.[1] ?? ''
        expect(printed).toBe(output.replace(':3000', `:${port}`))
        continue
      }
      const { stdout, stderr } = run(command.replace(':3000', `:${port}`))
      // A response over HTTP has no newline at its end; a terminal starts a new line anyway.
      expect([`${PAGE}:${line}`, stdout.trimEnd(), stderr]).toEqual([`${PAGE}:${line}`, output.trimEnd(), ''])
    }
  }

  const count = (start: string) => ran.filter((command) => command.startsWith(start)).length
  expect([count('npm init'), count('echo '), count('curl '), count('node --test')]).toEqual([1, 6, 2, 1])
  expect(readdirSync(join(folder, 'node_modules/@scorpiox'))).toEqual(['mcp'])
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@scorpiox'])
  const written = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  expect(written.length).toBeGreaterThan(7)
  for (const name of written.filter((file) => !DIFFERENT.includes(file))) {
    expect([name, readFileSync(join(FOLDER, name), 'utf8')]).toEqual([name, readFileSync(join(folder, name), 'utf8')])
  }
  for (const name of DIFFERENT) expect(existsSync(join(FOLDER, name))).toBe(true)
})
