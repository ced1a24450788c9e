// A server under test with everything it needs: its folders, twenty users with tokens, its database and its clock. One for
// each variant of the soak. Users have workspaces of their own, so commands over HTTP run in the sandbox; those over stdio do not.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { FAKETIME } from '../fleet/requirements.mjs'
import { openPostgres } from './postgres.mjs'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const PROGRAM = join(REPOSITORY, 'dist/scorpiox-code.js')
const MONITOR = join(import.meta.dirname, 'monitor.cjs')
const STATE_MEGABYTES = 192
export const VARIANTS = ['sqlite', 'postgres']

const run = promisify(execFile)

export async function openSubject({ variant, base, site, userCount, canMount, sampleMs, program = PROGRAM }) {
  const folder = join(base, variant)
  const [state, work, home] = ['state', 'work', 'home'].map((name) => join(folder, name))
  // Others may pass through, because PostgreSQL runs as a user of its own.
  mkdirSync(folder, { mode: 0o711 })
  for (const path of [state, work, home]) mkdirSync(path, { mode: 0o700 })
  if (canMount) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${STATE_MEGABYTES}m,mode=700`, 'soak', state])
  const database = variant === 'postgres' ? await openPostgres(folder) : undefined
  const clockFile = join(folder, 'clock')
  const setClock = (seconds) => writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  setClock(0)
  const monitorFile = join(folder, 'monitor.json')
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    STATE_DIR: state,
    WORKSPACE_ROOT: join(work, '{user}'),
    FETCH_ALLOW: site.host,
    BROWSER_PATH: 'off',
    ACCESS_LOG: 'off',
    ASK_WAIT: '12',
    PLAN_APPROVAL: 'model',
    BASH_SOFT_LIMIT_MS: '20000',
    // As the service of docs/deploy.md.
    MALLOC_ARENA_MAX: '2',
    ...(database && { DATABASE_URL: database.url }),
    ...(existsSync(FAKETIME) && clockSettings(clockFile)),
  }
  const names = Array.from({ length: userCount }, (_, at) => `user-${at + 1}`)
  const users = []
  for (const name of names)
    users.push({ name, token: await createToken(program, name, env), project: join(work, name) })
  for (const { project } of users) prepareProject(project)
  const stdioProject = join(folder, 'stdio')
  prepareProject(stdioProject)
  const log = join(folder, 'server.log')
  const server = await startServer({
    program,
    cwd: folder,
    log,
    env: { ...env, NODE_OPTIONS: `--require ${MONITOR}`, MONITOR_FILE: monitorFile, MONITOR_MS: String(sampleMs) },
  })
  return {
    variant,
    folder,
    state,
    users,
    stdioProject,
    stdioEnv: env,
    program,
    database,
    setClock,
    monitorFile,
    log,
    pid: server.child.pid,
    url: server.url,
    /** '' while it runs, else how it ended. */
    ending: () => server.ending(),
    async close() {
      server.child.kill('SIGTERM')
      await Promise.race([server.exited, new Promise((done) => setTimeout(done, 20_000).unref())])
      server.child.kill('SIGKILL')
      await server.exited
      await database?.close()
    },
  }
}

/** Only the wall clock: the monotonic one does not jump. */
function clockSettings(file) {
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
    NO_FAKE_STAT: '1',
  }
}

async function createToken(program, user, env) {
  const { stdout } = await run(process.execPath, [program, 'token', 'create', '--user', user, '--json'], { env })
  return JSON.parse(stdout).token
}

/** A skill of the project, and two images: one drawn, one of pixels. */
function prepareProject(project) {
  mkdirSync(join(project, '.claude/skills/count-words'), { recursive: true })
  writeFileSync(
    join(project, '.claude/skills/count-words/SKILL.md'),
    '---\nname: count-words\ndescription: Counts the words of a file.\n---\nRun `wc -w` on the file and report the number.\n',
  )
  const circles = Array.from(
    { length: 8 },
    (_, at) => `<circle cx="${at * 75}" cy="${(at * 37) % 400}" r="20" fill="hsl(${at * 9} 80% 50%)"/>`,
  )
  writeFileSync(
    join(project, 'drawn.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400">${circles.join('')}</svg>`,
  )
  cpSync(join(REPOSITORY, 'docs/pictures/jobs-light.png'), join(project, 'screen.png'))
}

async function startServer({ program, cwd, env, log }) {
  const errors = openSync(log, 'a')
  const args = [program, 'serve', '--http', '--port', '0']
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', errors] })
  closeSync(errors)
  let ending = ''
  const exited = once(child, 'exit').then(([code, signal]) => {
    ending = `the server ended with ${signal ?? code}`
  })
  let text = ''
  const url = await new Promise((found, lost) => {
    child.stdout.on('data', (chunk) => {
      text += chunk
      const [address] = /http:\/\/[\d.]+:\d+(?=\/mcp)/.exec(text) ?? []
      if (address !== undefined) found(address)
    })
    void exited.then(() => lost(new Error(`${ending} at its start: ${readFileSync(log, 'utf8')}`)))
  })
  return { child, url, exited, ending: () => ending }
}
