// The escapes of the corpus, tried in commands of the built program, as root and as an ordinary user, on Node and with the
// executable if it has been built (npm run binary): nothing outside changes, no secret is read, no packet arrives.

import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, onTestFinished, test } from 'vitest'

import { call, PROGRAM, startServer, type TestClient } from '../support/client.js'
import { canRun, requires, SANDBOX } from '../support/requirements.js'
import { RUNTIME_FLAGS } from '../support/runtime.js'
import { CORPUS } from './escape-corpus.js'
import { differences, isThere, scriptOf, splitOutput } from './escape-script.js'
import { PLANTING_CORPUS } from './planting-corpus.js'
import { buildSandboxProject, PYTHON, type SandboxProject } from './sandbox-project.js'

const ORDINARY_UID = 65534
const IS_ROOT = process.getuid?.() === 0
const AS_ORDINARY_USER = ['setpriv', `--reuid=${ORDINARY_UID}`, `--regid=${ORDINARY_UID}`, '--clear-groups']
const EXECUTABLE = resolve(import.meta.dirname, '../../dist/scorpiox-code')
/** Attempts in one command. */
const BATCH = 100

const USERS: readonly (readonly [name: string, prefix: readonly string[]])[] = [
  [IS_ROOT ? 'root' : 'an ordinary user', []],
  ...(IS_ROOT && canRun('setpriv', [...AS_ORDINARY_USER.slice(1), process.execPath, '--version'])
    ? ([['an ordinary user', AS_ORDINARY_USER]] as const)
    : []),
]
const PROGRAMS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['on Node', [process.execPath, ...RUNTIME_FLAGS, PROGRAM]],
  ...(existsSync(EXECUTABLE) ? ([['with the executable', [EXECUTABLE]]] as const) : []),
]

/** The program is not installed in this project, so that it does not protect what belongs to it there. */
const tried = [...CORPUS, ...PLANTING_CORPUS].filter(
  ({ needs, levels, how }) =>
    levels.includes('workspace') && needs.every(isThere) && !/node_modules|tools|scripts|tls/.test(how),
)

describe.each(USERS)('as %s', requires(SANDBOX), (_, prefix) => {
  test.each(PROGRAMS)('no escape succeeds %s', { tags: ['long'], timeout: 900_000 }, async (_name, command) => {
    expect(tried.length).toBeGreaterThanOrEqual(PYTHON ? 400 : 250)
    const project = await buildSandboxProject()
    onTestFinished(() => project.close())
    if (prefix.length > 0) for (const folder of [project.base, project.env.SHARED, project.env.TEMPORARY]) give(folder)
    const client = startIn(project, [...prefix, ...command])
    const bash = (script: string) => call(client, 'Bash', { command: script, timeout: 600_000 })
    // The names that are protected are taken by the first command.
    const first = await bash('mkdir -p work && id -u && echo ready')
    expect(first.text).toContain('ready')
    const before = look(project)
    const packets = project.packets()
    const outputs = new Map<string, string>()
    const together = tried.filter(({ alone }) => !alone)
    const batches = [
      ...Array.from({ length: Math.ceil(together.length / BATCH) }, (__, at) =>
        together.slice(at * BATCH, (at + 1) * BATCH),
      ),
      ...tried.filter(({ alone }) => alone).map((attempt) => [attempt]),
    ]
    for (const batch of batches) {
      const work = join(project.project, 'work')
      // A result has a limit of length, a file has none.
      await bash(`export WHERE=inside; exec >work/output 2>&1\n${scriptOf(batch, work)}`)
      for (const [name, text] of splitOutput(`\n${readFileSync(join(work, 'output'), 'latin1')}`))
        outputs.set(name, text)
    }
    // An attempt may act up to 0.4 s after its end.
    await sleep(600)
    const delivered = [...outputs].filter(([, text]) => text.includes(project.secret) || text.includes('ESCAPED'))
    expect(delivered).toEqual([])
    expect(differences(before, look(project))).toEqual([])
    expect(project.packets() - packets).toBe(0)
    expect(project.victimLives()).toBe(true)
    expect(together.filter(({ name }) => !outputs.has(name)).map(({ name }) => name)).toEqual([])
    expect((await bash('echo still here')).text).toBe('still here\n')
    expect(await client.close()).toBe(0)
  })
})

function startIn(project: SandboxProject, [file = '', ...args]: readonly string[]): TestClient {
  const env = {
    ...project.env,
    PYTHON: PYTHON ?? '',
    SANDBOX: 'workspace',
    SANDBOX_HIDE: join(project.project, 'deep', 'secrets'),
    STATE_DIR: project.state,
  }
  const client = startServer({ file, args, cwd: project.project, env })
  onTestFinished(async () => void (await client.close()))
  return client
}

/** All files but those that the server writes. */
function look(project: SandboxProject): ReadonlyMap<string, string> {
  const own = ['jobs', 'sandbox', 'state.db', 'history.db', 'tickets', 'waiting', 'desks', 'plans'].map((name) =>
    join(project.state, name),
  )
  return new Map([...project.snapshot()].filter(([path]) => !own.some((name) => path.startsWith(name))))
}

function give(folder = ''): void {
  chownSync(folder, ORDINARY_UID, ORDINARY_UID)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), ORDINARY_UID, ORDINARY_UID)
}
