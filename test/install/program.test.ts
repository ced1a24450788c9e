// The executable if the program itself may disappear, is missing, or has an unusual name.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { expect, test } from 'vitest'

import { emptyFolder, PROGRAM, startServer } from '../support/client.js'
import { newUserHome } from './support.js'

const ROOT = resolve(import.meta.dirname, '../..')

/** The layout of a package manager, with linked packages. */
function laidOut(directory: string, change = (text: string): string => text): string {
  const own = join(directory, 'node_modules', 'scorpiox-code')
  mkdirSync(own, { recursive: true })
  cpSync(dirname(PROGRAM), join(own, 'dist'), { recursive: true, filter: (path) => !/dist\/(judge|types)/.test(path) })
  const described = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object }
  // Enough to check that packages are copied with their dependencies.
  const dependencies = { '@clack/prompts': '1', yaml: '2', 'jsonc-parser': '3', 'smol-toml': '1' }
  writeFileSync(
    join(own, 'package.json'),
    JSON.stringify({ ...described, dependencies, optionalDependencies: { none: '1' } }),
  )
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(directory, 'node_modules', name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name))
  }
  const script = join(own, 'dist', 'scorpiox-code.js')
  writeFileSync(script, change(readFileSync(script, 'utf8')))
  return script
}

async function echo(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const client = startServer({ file, args: [], env })
  await client.initialize('2025-06-18')
  const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command: 'echo it runs' } })
  await client.close()
  return result.content[0].text
}

test('from the cache of npx the program is copied with its dependencies', async () => {
  const cache = emptyFolder()
  const script = laidOut(join(cache, '_npx', '0123'))
  const userHome = newUserHome(script)
  const { code, text } = await userHome.run('install', '--yes')
  expect(code, text).toBe(0)
  const programs = join(userHome.home, '.scorpiox', 'program')
  const [version = ''] = readdirSync(programs)
  const packages = join(programs, version, 'node_modules')
  for (const name of ['scorpiox-code', '@clack/prompts', '@clack/core', 'yaml'])
    expect(readdirSync(packages + '/' + name)).toContain('package.json')
  expect((await userHome.run('install', '--yes')).text).toContain('already installed')
  expect(readdirSync(programs)).toEqual([version])

  const running = startServer({ file: userHome.executablePath, args: [], env: userHome.env })
  await running.initialize('2025-06-18')
  rmSync(cache, { recursive: true })
  expect(await echo(userHome.executablePath, userHome.env)).toContain('it runs')
  // A newer version is installed beside it; running processes continue, also with modules loaded later.
  const newer = newUserHome(
    laidOut(join(emptyFolder(), '_npx', '4567'), (old) => `${old}\n// newer\n`),
    userHome.env,
  )
  expect((await newer.run('install', '--yes')).code).toBe(0)
  expect(readdirSync(programs)).toHaveLength(2)
  const { result } = await running.request('tools/call', { name: 'Bash', arguments: { command: 'echo and on' } })
  expect(result.content[0].text).toContain('and on')
  await running.close()
  expect((await newer.run('uninstall', '--yes')).code).toBe(0)
  expect(existsSync(programs)).toBe(false)
})

test('if a package is missing, nothing is installed partially', async () => {
  const path = join(emptyFolder(), '_npx', '89ab')
  const script = laidOut(path)
  rmSync(join(path, 'node_modules', 'yaml'))
  const userHome = newUserHome(script)
  userHome.write('.cursor/mcp.json', '{}')
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(1)
  expect(text).toContain('its dependency yaml was not found; install it first with `npm install -g scorpiox-code`')
  expect(existsSync(userHome.executablePath)).toBe(false)
  expect(userHome.read('.cursor/mcp.json')).toBe('{}')
})

test('a name with spaces and quotes is started, and a missing one reports what to do', async () => {
  const lasting = join(emptyFolder(), `it's "here" $HOME`)
  const userHome = newUserHome(laidOut(lasting))
  expect((await userHome.run('install', '--yes')).code).toBe(0)
  expect(await echo(userHome.executablePath, userHome.env)).toContain('it runs')
  renameSync(lasting, `${lasting} no more`)
  const client = startServer({ file: userHome.executablePath, args: [], env: userHome.env })
  expect(await client.close()).toBe(127)
  expect(client.stderr()).toContain('does not exist; run: npx scorpiox-code install')
})

test('if only another runtime is available, it starts the program', async () => {
  const userHome = newUserHome()
  await userHome.run('install', '--yes')
  writeFileSync(
    userHome.executablePath,
    readFileSync(userHome.executablePath, 'utf8').replace(/runtime='.*'/, "runtime='/nowhere/node'"),
  )
  expect(await echo(userHome.executablePath, userHome.env)).toContain('it runs')
})

test('concurrent installations copy it to one path, and none fails', async () => {
  const userHome = newUserHome(laidOut(join(emptyFolder(), '_npx', '0123')))
  const clients = ['cursor', 'windsurf', 'gemini', 'zed']
  const results = await Promise.all(clients.map((client) => userHome.run('install', client, '--yes')))
  for (const { code, text } of results) expect(code, text).toBe(0)
  expect(readdirSync(join(userHome.home, '.scorpiox', 'program'))).toHaveLength(1)
  expect(await echo(userHome.executablePath, userHome.env)).toContain('it runs')
})
