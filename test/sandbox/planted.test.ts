// What a sandboxed command leaves behind for the server, for its next start or for the person: planted as a command would,
// over the real transport, then everything is done that would run or obey it. As root and as an ordinary user.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import { CLIENT_PATHS, listProjectNames } from '@scorpiox/server/clients/client-paths'
import { codeCachePath, formatCodeCache } from '@scorpiox/server/storage/code-cache'
import { VERSION } from '@scorpiox/server/config/version'
import { png } from '../image/make.js'
import { PROGRAM, startServer, type TestClient } from '../support/client.js'
import { canRun, requires, SANDBOX } from '../support/requirements.js'
import { MISSING, RUNTIME_FLAGS } from '../support/runtime.js'

const ORDINARY_UID = 65534
const IS_ROOT = process.getuid?.() === 0
/** The command that starts a program as an ordinary user. */
const AS_ORDINARY_USER = ['setpriv', `--reuid=${ORDINARY_UID}`, `--regid=${ORDINARY_UID}`, '--clear-groups']
const USERS: readonly (readonly [name: string, prefix: readonly string[]])[] = [
  [IS_ROOT ? 'root' : 'an ordinary user', []],
  ...(IS_ROOT && canRun('setpriv', [...AS_ORDINARY_USER.slice(1), process.execPath, '--version'])
    ? ([['an ordinary user', AS_ORDINARY_USER]] as const)
    : []),
]

const GIT = { isMet: canRun('git'), reason: 'git is not installed' }
const BUN_FILE = [process.env.BUN ?? '', resolve(import.meta.dirname, '../../judges/node_modules/bun/bin/bun')].find(
  (file) => file !== '' && existsSync(file),
)
const BUN = { isMet: BUN_FILE !== undefined, reason: 'Bun is not installed in judges/, and BUN is not set' }

const bases: string[] = []
const clients: TestClient[] = []
const servers: Server[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  for (const server of servers.splice(0)) server.close()
  for (const base of bases.splice(0)) rmSync(base, { recursive: true, force: true })
})

/** A page that is empty without JavaScript. */
async function openScriptedPage() {
  const html = `<!doctype html><title>App</title><div id="root"></div><script>
    document.getElementById('root').innerHTML = '<main><h1>The app</h1>' + '<p>Written by a script.</p>'.repeat(50) + '</main>'
  </script>`
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
  server.listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  servers.push(server)
  return { url: `http://127.0.0.1:${port}/`, env: { FETCH_ALLOW: `127.0.0.1:${port}` } }
}

interface Setup {
  readonly home: string
  readonly project: string
  /** Exists as soon as something planted was run. */
  readonly proof: string
  /** A shell command that creates the proof. */
  readonly evil: string
}

/** Outside of /tmp, which commands do not see. */
function newSetup(): Setup {
  const home = mkdtempSync('/var/tmp/scorpiox-planted-')
  bases.push(home)
  chmodSync(home, 0o755)
  const project = join(home, 'project')
  mkdirSync(project)
  const proof = join(home, 'escaped')
  return { home, project, proof, evil: `touch ${proof}` }
}

interface ServerOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly program?: string
  readonly runtime?: readonly string[]
}

/** `npm test` runs them as the ordinary user only, if there are two. */
const tagsOf = (prefix: readonly string[]) => (USERS.length > 1 && prefix.length === 0 ? { tags: ['long'] } : {})

for (const [name, prefix] of USERS) describe(`as ${name}`, tagsOf(prefix), () => plantedTests(prefix))

function plantedTests(prefix: readonly string[]): void {
  function give(path: string): void {
    if (prefix.length === 0) return
    chownSync(path, ORDINARY_UID, ORDINARY_UID)
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
      if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), ORDINARY_UID, ORDINARY_UID)
  }

  function start({ home, project }: Setup, options: ServerOptions = {}): TestClient {
    give(home)
    const { env = {}, program = PROGRAM, runtime = [process.execPath, ...RUNTIME_FLAGS] } = options
    const [file, ...args] = [...prefix, ...runtime, program]
    const client = startServer({ file, args, cwd: project, env: { HOME: home, SANDBOX: 'workspace', ...env } })
    clients.push(client)
    return client
  }

  /** As the person would, outside of the sandbox. */
  function outside({ home, project }: Setup, command: string): string {
    const [file, ...args] = [...prefix, 'bash', '-c', command]
    const { stdout, stderr } = spawnSync(file, args, {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    })
    return stdout + stderr
  }

  async function call(client: TestClient, name: string, input: object): Promise<string> {
    const { result, error } = await client.request('tools/call', { name, arguments: input })
    return error ? JSON.stringify(error) : result.content.map(({ text = '' }) => text).join('')
  }

  const bash = (client: TestClient, command: string): Promise<string> => call(client, 'Bash', { command })

  /** The program as `npm install` puts it into a folder. */
  function install(folder: string): string {
    const target = join(folder, 'node_modules', 'scorpiox-code', 'dist')
    mkdirSync(dirname(target), { recursive: true })
    cpSync(dirname(PROGRAM), target, { recursive: true, filter: (path) => !/dist\/(judge|types)/.test(path) })
    writeFileSync(join(target, '..', 'package.json'), '{"name": "scorpiox-code"}')
    return join(target, 'scorpiox-code.js')
  }

  describe('packages', requires(SANDBOX), () => {
    const plantPackage = (folder: string, { evil }: Setup): string =>
      `mkdir -p ${folder}/sharp && echo '{"main":"i.js"}' >${folder}/sharp/package.json && ` +
      `echo "require('child_process').execSync('${evil}')" >${folder}/sharp/i.js; ls ${folder}`

    async function readImage(setup: Setup, client: TestClient): Promise<string> {
      writeFileSync(
        join(setup.project, 'large.png'),
        png({ width: 3000, height: 3000, data: Buffer.alloc(27_003_000) }),
      )
      return call(client, 'ReadImage', { file_path: join(setup.project, 'large.png') })
    }

    test('of a server that is installed in the project are not planted', async () => {
      const setup = newSetup()
      const program = install(setup.project)
      const client = start(setup, { program })
      const places = [
        'node_modules',
        'node_modules/scorpiox-code/node_modules',
        'node_modules/scorpiox-code/dist/parts',
      ]
      for (const place of places)
        expect(await bash(client, plantPackage(place, setup))).toMatch(/Read-only file system/)
      await bash(client, 'mv node_modules gone; mkdir node_modules; rm -rf node_modules/scorpiox-code')
      await readImage(setup, client)
      expect(existsSync(setup.proof)).toBe(false)
      expect(await bash(client, 'echo still >file; cat file')).toBe('still\n')
    })

    test('of a server that runs from a clone without packages are not planted, and nothing is left', async () => {
      const setup = newSetup()
      const installed = install(setup.home)
      cpSync(dirname(installed), join(setup.project, 'dist'), { recursive: true })
      rmSync(join(setup.home, 'node_modules'), { recursive: true })
      const client = start(setup, { program: join(setup.project, 'dist', 'scorpiox-code.js') })
      expect(await bash(client, plantPackage('node_modules', setup))).toMatch(/Read-only file system/)
      await readImage(setup, client)
      await client.close()
      expect(existsSync(setup.proof)).toBe(false)
      expect(readdirSync(setup.project).toSorted()).toEqual(['dist', 'large.png'])
    })

    test('cannot be planted in the cache of npx: a server that runs from a writable folder runs no command', async () => {
      const setup = newSetup()
      const program = install(join(setup.home, '.npm', '_npx', 'abc'))
      const client = start(setup, { program, env: { SANDBOX_WRITE: '~/.npm' } })
      expect(await bash(client, `${setup.evil}; echo ran`)).toMatch(
        /this server runs from there.*scorpiox-code install/,
      )
      const other = start(setup, { env: { SANDBOX_WRITE: '~/.npm' } })
      expect(await bash(other, 'echo x >~/.npm/new && echo written')).toBe('written\n')
    })
  })

  describe.skipIf(MISSING.codeCache !== undefined)('a code cache', requires(SANDBOX), () => {
    const PROGRAM_FILE = join(dirname(PROGRAM), 'program.js')

    /** Compiled from another source than it claims, which gives the server another version. */
    function makeCodeCache(): Buffer {
      const script = `
        const source = require('node:fs').readFileSync(process.argv[1], 'latin1').replaceAll('"${VERSION}"', '"7.7.7"')
        const text = '(function (exports, require, module, __filename, __dirname) {' + source + '\\n})'
        process.stdout.write(new (require('node:vm').Script)(text).createCachedData())`
      const { stdout } = spawnSync(process.execPath, ['-e', script, PROGRAM_FILE])
      return formatCodeCache(readFileSync(PROGRAM_FILE), stdout)
    }

    async function readVersion(client: TestClient): Promise<string> {
      const { result } = await client.initialize('2025-11-25')
      return result.serverInfo.version
    }

    const PLACES: readonly (readonly [string, NodeJS.ProcessEnv, string])[] = [
      ['in the home', {}, 'project'],
      ['in the home, if it can write beside it', { STATE_DIR: '../state', SANDBOX_WRITE: '~/.scorpiox' }, 'project'],
      ['in the home, if that is the project', { STATE_DIR: '../state' }, '.scorpiox'],
    ]
    test.each(PLACES)('of the server cannot be planted %s', async (_, env, folder) => {
      const setup = newSetup()
      const blob = join(setup.project, 'blob')
      writeFileSync(blob, makeCodeCache(), { mode: 0o600 })
      const path = codeCachePath(setup.home, PROGRAM_FILE, 'stdio') ?? ''
      if (env.STATE_DIR !== undefined) mkdirSync(join(setup.home, '.scorpiox'), { mode: 0o700 })
      const attempt = `umask 077; mkdir -p '${dirname(path)}'; chmod 700 '${dirname(path)}'; cp '${blob}' '${path}'; ls`
      const first = start({ ...setup, project: join(setup.home, folder) }, { env })
      expect(await bash(first, `${attempt} >/dev/null; echo tried`)).toMatch(/tried\n$/)
      await bash(first, `rmdir '${dirname(path)}'; ${attempt}`)
      await bash(first, `mv '${dirname(path)}' gone; ${attempt}`)
      await first.close()
      const second = start(setup)
      expect(await readVersion(second)).toBe(VERSION)
      await second.close()
      // The same file is obeyed if the user puts it there.
      rmSync(dirname(path), { recursive: true, force: true })
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      copyFileSync(blob, path)
      chmodSync(path, 0o600)
      expect(await readVersion(start(setup))).toBe('7.7.7')
    })
  })

  describe('programs', requires(SANDBOX), () => {
    const plantProgram = (names: readonly string[], { evil }: Setup): string =>
      names.map((name) => `printf '#!/bin/sh\\n${evil}\\n' >${name}; chmod +x ${name}`).join('; ')

    test('in a writable folder of PATH are not run: bash, bwrap, browsers, helpers', async () => {
      const setup = newSetup()
      const bin = join(setup.home, 'bin')
      mkdirSync(bin)
      const page = await openScriptedPage()
      const env = { ...page.env, SANDBOX_WRITE: '~/bin', PATH: `${bin}:${process.env.PATH}` }
      const names = ['bash', 'sh', 'bwrap', 'unshare', 'mkfifo', 'setsid', 'grep', 'rm', 'git', 'xdg-open']
      const browsers = ['chromium-headless-shell', 'chromium', 'google-chrome', 'chrome']
      const first = start(setup, { env })
      const planted = `cd ~/bin; ${plantProgram([...names, ...browsers], setup)}; ln -s /usr/bin/env env-link; ls | wc -l`
      expect(await bash(first, planted)).toContain(String(names.length + browsers.length + 1))
      await call(first, 'ReadDocs', { url: page.url })
      await first.close()
      const second = start(setup, { env })
      const answer = await bash(second, '/bin/echo a command runs')
      await second.close()
      const doctor = [...prefix, process.execPath, PROGRAM, 'doctor'].map((word) => `'${word}'`).join(' ')
      execFileSync('/bin/sh', ['-c', `${doctor} || true`], {
        cwd: setup.project,
        env: { ...env, HOME: setup.home, SANDBOX: 'workspace' },
        stdio: 'ignore',
      })
      expect(existsSync(setup.proof)).toBe(false)
      expect(answer).toBe('a command runs\n')
    })

    test('whose names the start script of a browser uses are not run', async () => {
      const setup = newSetup()
      mkdirSync(join(setup.home, 'bin'))
      // As that of Debian does.
      const browser = join(setup.home, 'chromium')
      writeFileSync(browser, '#!/bin/sh\ngrep -q x /dev/null\nexit 1\n', { mode: 0o755 })
      const page = await openScriptedPage()
      const path = `${join(setup.home, 'bin')}:${process.env.PATH}`
      const client = start(setup, { env: { ...page.env, SANDBOX_WRITE: '~/bin', BROWSER_PATH: browser, PATH: path } })
      await bash(client, `cd ~/bin; ${plantProgram(['grep'], setup)}`)
      const answer = await call(client, 'ReadDocs', { url: page.url })
      expect(existsSync(setup.proof), answer).toBe(false)
    })

    test('that a link in a writable folder chooses are not run', async () => {
      const setup = newSetup()
      const bin = join(setup.home, 'bin')
      mkdirSync(bin)
      const env = { SANDBOX_WRITE: '~/bin', PATH: `${bin}:${process.env.PATH}`, SHELL_PATH: join(bin, 'bash') }
      symlinkSync('/bin/bash', join(bin, 'bash'))
      const client = start(setup, { env })
      expect(await bash(client, 'echo ran')).toMatch(/in a folder that commands can write to.*Set SHELL_PATH/)
    })

    test.each(['BROWSER_PATH', 'PATH'])(
      'named by %s: a browser that a command can replace is refused',
      async (name) => {
        const setup = newSetup()
        mkdirSync(join(setup.home, 'bin'))
        const browser = join(setup.home, 'bin', 'chromium-headless-shell')
        const page = await openScriptedPage()
        const client = start(setup, {
          env: {
            SANDBOX_WRITE: '~/bin',
            ...page.env,
            ...(name === 'PATH' ? { PATH: `${dirname(browser)}:${process.env.PATH}` } : { BROWSER_PATH: browser }),
          },
        })
        await bash(client, `cd ~/bin; ${plantProgram(['chromium-headless-shell'], setup)}`)
        const answer = await call(client, 'ReadDocs', { url: page.url })
        expect(existsSync(setup.proof), answer).toBe(false)
      },
    )

    test.each([
      ['NODE_OPTIONS', '--require hook'],
      ['NODE_OPTIONS', '--import=./hook.mjs'],
      ['NODE_PATH', 'lib'],
      ['OPENSSL_CONF', 'openssl.cnf'],
      ['LD_LIBRARY_PATH', '/nonexistent:'],
      ['LD_PRELOAD', './lib/evil.so'],
    ])('are not started by a server with %s=%s, which it would load from the project', async (name, value) => {
      const setup = newSetup()
      mkdirSync(join(setup.project, 'node_modules', 'hook'), { recursive: true })
      for (const file of ['node_modules/hook/index.js', 'hook.mjs', 'openssl.cnf'])
        writeFileSync(join(setup.project, file), '')
      const client = start(setup, { env: { [name]: value } })
      expect(await bash(client, 'echo ran')).toMatch(new RegExp(`${name} names .*which this server loads`))
    })
  })

  describe('settings', requires(SANDBOX), () => {
    test('of clients that start programs cannot be planted or changed, and nothing is left', async () => {
      const setup = newSetup()
      mkdirSync(join(setup.project, '.vscode'))
      writeFileSync(join(setup.project, '.vscode', 'tasks.json'), '{}')
      for (const name of ['.mcp.json', 'opencode.json']) writeFileSync(join(setup.project, name), '{}')
      const client = start(setup)
      const files = [
        '.mcp.json',
        '.cursor/mcp.json',
        '.codex/config.toml',
        '.gemini/settings.json',
        '.vscode/tasks.json',
        '.claude/settings.json',
        '.claude/settings.local.json',
        '.claude/hooks/x',
        '.zed/tasks.json',
        'opencode.json',
        '.opencode/plugin/x.js',
        '.qwen/settings.json',
        '.continue/mcpServers/x.yaml',
        '.clinerules/hooks/x',
      ]
      for (const file of files) {
        const folder = dirname(file)
        await bash(client, `rm -rf ${file}; mkdir -p ${folder}; echo ${setup.evil} >${file}; chmod +x ${file}`)
        await bash(
          client,
          `mv ${folder} moved; mv ${file} moved; mkdir -p ${folder}; echo x >${file}; ln -sf /etc ${file}`,
        )
      }
      await bash(client, 'rm -rf moved')
      await client.close()
      expect(readdirSync(setup.project).toSorted()).toEqual(['.mcp.json', '.vscode', 'opencode.json'])
      for (const name of ['.mcp.json', 'opencode.json'])
        expect(readFileSync(join(setup.project, name), 'utf8')).toBe('{}')
      expect(readFileSync(join(setup.project, '.vscode', 'tasks.json'), 'utf8')).toBe('{}')
    })

    test('of clients in the home are neither read nor planted, also where their folder is writable', async () => {
      const setup = newSetup()
      const machine = { platform: process.platform, home: setup.home, cwd: setup.project, env: {} }
      const listed = CLIENT_PATHS.filter(({ id }) => id !== 'project').flatMap(({ locations }) =>
        locations({ ...machine, listDirectory: () => [] }).map(({ file }) => file),
      )
      const inConfig = listed.filter((file) => file.startsWith(join(setup.home, '.config')))
      const absent = inConfig.slice(0, 3)
      const present = listed.filter((file) => !absent.includes(file))
      for (const file of present) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, 'TOKEN-OF-THE-USER')
      }
      mkdirSync(join(setup.home, '.config'), { recursive: true })
      const client = start(setup, { env: { SANDBOX_WRITE: '~/.config' } })
      for (const file of listed) expect(await bash(client, `cat '${file}'`), file).not.toContain('TOKEN-OF-THE-USER')
      for (const file of listed) await bash(client, `mkdir -p '${dirname(file)}'; echo x >'${file}'; mv '${file}' x`)
      await client.close()
      for (const file of present) expect(readFileSync(file, 'utf8'), file).toBe('TOKEN-OF-THE-USER')
      for (const file of absent) expect(existsSync(file), file).toBe(false)
    })

    test('of the server with secrets do not reach commands', async () => {
      const setup = newSetup()
      const env = {
        CALLBACK_WEBHOOK: 'https://hooks.example/SECRET',
        HTTP_TOKEN: 'SECRET-token',
        WEBSEARCH_KEYS: 'brave=SECRET',
      }
      const client = start(setup, { env })
      const answer = await bash(client, 'env; cat /proc/*/environ | tr "\\0" "\\n"; echo all')
      expect(answer).toMatch(/^HOME=[^]*all\n$/m)
      expect(answer).not.toContain('SECRET')
    })

    test('that name a link which a command can replace are refused; a folder in the project cannot be replaced', async () => {
      const setup = newSetup()
      const target = join(setup.home, 'keys')
      mkdirSync(target)
      mkdirSync(join(setup.project, 'a', 'build'), { recursive: true })
      const env = { SANDBOX_WRITE: join(setup.project, 'a', 'build') }
      const first = start(setup, { env })
      await bash(
        first,
        `mv a/build old; ln -s ${target} a/build; mv a b; mkdir a; ln -s ${target} a/build; echo x >a/build/x`,
      )
      await first.close()
      const second = start(setup, { env })
      await bash(second, 'echo x >a/build/authorized')
      await second.close()
      expect(readdirSync(target)).toEqual([])
      rmSync(join(setup.project, 'a'), { recursive: true, force: true })
      symlinkSync(setup.home, join(setup.project, 'a'))
      const third = start(setup, { env: { SANDBOX_WRITE: join(setup.project, 'a', 'keys') } })
      expect(await bash(third, `echo x >${target}/authorized`)).toMatch(/a symbolic link in .* leads there/)
      expect(readdirSync(target)).toEqual([])
    })

    test(
      'of Bun are not obeyed: without flags no command runs, with them .env and bunfig.toml have no effect',
      requires(BUN),
      async () => {
        const setup = newSetup()
        const bun = BUN_FILE ?? ''
        const plant = `echo 'preload = ["./evil.js"]' >bunfig.toml; echo 'require("fs").writeFileSync("${setup.proof}", "")' >evil.js; printf 'SANDBOX=off\\nTOOL_BASH=0\\n' >.env; echo planted`
        const env = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' }
        const plain = start(setup, { runtime: [bun], env })
        expect(await bash(plain, plant)).toMatch(/Bun reads \.env and bunfig\.toml.*--no-env-file/)
        await plain.close()
        const flags = ['--no-env-file', '--config=/dev/null']
        const first = start(setup, { runtime: [bun, ...flags], env })
        expect(await bash(first, plant)).toBe('planted\n')
        await first.close()
        const second = start(setup, { runtime: [bun, ...flags], env: { ...env, SANDBOX: 'workspace' } })
        expect(await bash(second, `echo x >${setup.proof}; echo ran`)).toMatch(/Read-only file system[^]*ran\n$/)
        expect(existsSync(setup.proof)).toBe(false)
      },
    )
  })

  describe('a git repository', requires(SANDBOX, GIT), () => {
    const CONFIG = (evil: string): string =>
      `printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = "${evil}; false"\\n' `
    const plantBare = (evil: string): string =>
      `mkdir -p objects refs hooks; echo 'ref: refs/heads/main' >HEAD; ${CONFIG(evil)}>config; ` +
      `printf '#!/bin/sh\\n${evil}\\n' >hooks/post-index-change; chmod +x hooks/*`

    test('planted as bare in the root of the project is not obeyed, while the server runs and afterwards', async () => {
      for (const prepare of [
        'true',
        'git init -q . && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x',
      ]) {
        const setup = newSetup()
        give(setup.home)
        outside(setup, prepare)
        const client = start(setup)
        await bash(client, `${plantBare(setup.evil)}; rm -f .git/HEAD`)
        await bash(client, `rm -rf commondir refs objects HEAD; ${plantBare(setup.evil)}`)
        outside(setup, 'git status; git log; git add -A')
        expect(existsSync(setup.proof), `${prepare}, during`).toBe(false)
        await client.close()
        outside(setup, 'git status; git log; git add -A')
        expect(existsSync(setup.proof), `${prepare}, after`).toBe(false)
      }
    })

    test('the same without the sandbox does run it', () => {
      const setup = newSetup()
      give(setup.home)
      outside(setup, plantBare(setup.evil))
      outside(setup, 'git status')
      expect(existsSync(setup.proof)).toBe(true)
    })

    test('is not led elsewhere by commondir, also not in a worktree outside', async () => {
      const setup = newSetup()
      give(setup.home)
      const commit = 'git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x'
      outside(setup, `git init -q . && ${commit} && git worktree add -q ../worktree`)
      const client = start(setup)
      const evilRepository = `mkdir -p evil && (cd evil; ${plantBare(setup.evil)})`
      const places = ['.git', '.git/worktrees/worktree']
      await bash(client, evilRepository)
      for (const place of places)
        await bash(
          client,
          `rm -f ${place}/commondir; echo ${setup.project}/evil >${place}/commondir; mv ${place} x; rm -rf x`,
        )
      outside(setup, 'git status; cd ../worktree; git status')
      expect(existsSync(setup.proof)).toBe(false)
      await client.close()
      outside(setup, 'git status; cd ../worktree; git status')
      expect(existsSync(setup.proof)).toBe(false)
      expect(existsSync(join(setup.project, '.git', 'commondir'))).toBe(false)
    })

    test('works as before, inside and outside, while it is protected', async () => {
      const setup = newSetup()
      give(setup.home)
      outside(
        setup,
        'git init -q -b main . && git config user.name x && git config user.email x@x && git config gc.auto 0',
      )
      outside(setup, 'echo 1 >a && git add a && git commit -qm one && git clone -q --bare . ../origin.git')
      outside(setup, 'git remote add origin ../origin.git && git fetch -q')
      const client = start(setup)
      const work = [
        'set -e',
        'echo 2 >>a && git commit -qam two && git branch side && git switch -q side && echo 3 >b && git add b',
        'git commit -qm three && git switch -q main && git merge -q --no-ff -m merge side && git tag v1',
        'git stash list && echo 4 >>a && git stash -q && git stash pop -q && git commit -qam four',
        'git rebase -q --onto HEAD~1 HEAD~1 main && git cherry-pick --allow-empty HEAD >/dev/null 2>&1 || git cherry-pick --abort',
        'git worktree add -q wt side && git -C wt log --oneline | wc -l && git worktree remove wt && git worktree list | wc -l',
        'git reflog expire --expire=now --all && git gc -q && git fsck && git log HEAD --oneline | wc -l && git diff HEAD~1 HEAD --stat | tail -1',
        'git status --short --branch; git rev-parse --show-toplevel; git bisect start HEAD HEAD~1 >/dev/null && git bisect reset >/dev/null 2>&1; echo done',
      ].join('\n')
      const inside = await bash(client, work)
      expect(inside).toMatch(/done\n$/)
      expect(inside).toContain(setup.project)
      expect(
        outside(
          setup,
          'git push -q origin main && git fetch -q && git status --short && git log HEAD -1 --format=%s && git stash list',
        ),
      ).toMatch(/^\w+\n$/)
      await client.close()
      expect(outside(setup, 'git fsck && git status --short && echo clean')).toMatch(/clean\n$/)
    })
  })
}

test('every name that a client obeys in a project is tried', () => {
  expect(listProjectNames().length).toBeGreaterThanOrEqual(12)
})
