// Every known escape, tried at every level: nothing outside changes, no secret is read, no packet arrives. Then the
// same without the sandbox, to show that each attempt works.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { listClientSecrets } from '@scorpiox/server/clients/client-paths'
import { openSandbox, type Sandbox, wrapCommand } from '@scorpiox/server/sandbox/sandbox'
import type { ActiveSandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import { listSecretPaths } from '@scorpiox/server/sandbox/secret-paths'
import { eventually } from '../support/eventually.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { type Attempt, CORPUS } from './escape-corpus.js'
import { differences, isThere, scriptOf, splitOutput } from './escape-script.js'
import { PLANTING_CORPUS } from './planting-corpus.js'
import { buildSandboxProject, PYTHON, type SandboxProject } from './sandbox-project.js'

const LEVELS: readonly ActiveSandboxLevel[] = ['read-only', 'workspace', 'strict']

/** Attempts in one sandbox. */
const BATCH = 150

let sandboxProject: SandboxProject
let sandbox: Sandbox
let before: ReadonlyMap<string, string>
let corpus: readonly Attempt[]

beforeAll(async () => {
  if (!SANDBOX.isMet) return
  corpus = [...CORPUS, ...PLANTING_CORPUS].filter(({ needs }) => needs.every(isThere))
  sandboxProject = await buildSandboxProject()
  before = sandboxProject.snapshot()
  const { home, project, state } = sandboxProject
  const inHome = (path: string): string => path.replace(/^~/, home)
  sandbox = await openSandbox({
    levels: LEVELS,
    project,
    home,
    workFolder: join(state, 'sandbox'),
    hidden: [
      state,
      ...listClientSecrets({ platform: 'linux', home, cwd: project, env: {}, listDirectory: listNames }).map(inHome),
      ...listSecretPaths('linux')
        .filter((path) => path.startsWith('~/'))
        .map(inHome),
      ...['.ssh', '.netrc', '.config/gh', '.aws', '.bash_history', '.claude/scorpiox-env.txt'].map((name) =>
        join(home, name),
      ),
      join(project, 'deep', 'secrets'),
      '/etc/shadow',
    ],
    writable: [],
    readable: [],
    readOnly: ['node_modules/server', 'tools/node', 'scripts'].map((name) => join(project, name)),
    controlFiles: [
      join(project, 'node_modules'),
      join(project, 'node_modules', 'server', 'scorpiox-env.txt'),
      join(project, 'tls.pem'),
    ],
    pids: 512,
    memoryBytes: 2 ** 30,
    env: process.env,
  })
})

afterAll(async () => {
  await sandbox?.close()
  sandboxProject?.close()
})

describe('escapes', requires(SANDBOX), () => {
  test('there are at least 450, with unique names', () => {
    expect([...new Set(corpus.map(({ name }) => name))]).toEqual(corpus.map(({ name }) => name))
    expect(corpus.length).toBeGreaterThanOrEqual(PYTHON ? 450 : 300)
  })

  for (const level of LEVELS)
    test(`none succeeds at the level ${level}`, { tags: level === 'workspace' ? [] : ['long'] }, async () => {
      const tried = corpus.filter(({ levels }) => levels.includes(level))
      const state = sandboxProject.snapshot()
      const packets = sandboxProject.packets()
      const together = tried.filter(({ alone }) => !alone)
      const outputs = new Map<string, string>()
      // The system limits the length of an argument.
      for (let at = 0; at < together.length; at += BATCH) {
        const output = await runInSandbox(level, together.slice(at, at + BATCH))
        for (const [name, text] of splitOutput(output)) outputs.set(name, text)
      }
      for (const attempt of tried.filter(({ alone }) => alone)) {
        for (const [name, output] of splitOutput(await runInSandbox(level, [attempt]))) outputs.set(name, output)
      }
      // An attempt may act up to 0.4 s after its end.
      await sleep(600)
      const delivered = [...outputs].filter(
        ([, text]) => text.includes(sandboxProject.secret) || text.includes('ESCAPED'),
      )
      expect(delivered).toEqual([])
      expect(differences(state, sandboxProject.snapshot())).toEqual([])
      expect(sandboxProject.packets() - packets).toBe(0)
      expect(sandboxProject.victimLives()).toBe(true)
      expect(together.filter(({ name }) => !outputs.has(name)).map(({ name }) => name)).toEqual([])
    })

  test('the placeholders that protected the project are removed afterwards', async () => {
    await sandbox.close()
    rmSync(join(sandboxProject.project, 'work'), { recursive: true, force: true })
    const now = [...sandboxProject.snapshot()].filter(
      ([path]) => !path.startsWith(join(sandboxProject.state, 'sandbox')),
    )
    expect(differences(before, new Map(now))).toEqual([])
  })

  test('each works without a sandbox, where that can be shown', { tags: ['long'] }, async () => {
    const failed: string[] = []
    for (const attempt of corpus.filter(({ proof }) => proof)) {
      sandboxProject.rebuild()
      if (!(await worksOutside(attempt))) failed.push(attempt.name)
    }
    expect(failed).toEqual([])
  })
})

function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** All of them in one sandbox, one after the other, each with its name before its output. */
async function runInSandbox(level: ActiveSandboxLevel, attempts: readonly Attempt[]): Promise<string> {
  const sandboxed = sandbox.create(level)
  const work = level === 'read-only' ? '/tmp/work' : join(sandboxProject.project, 'work')
  try {
    return await run(
      wrapCommand(sandboxed, [sandboxed.bash, '-c', `${sandboxed.shellPrelude}${scriptOf(attempts, work)}`]),
      'inside',
    )
  } finally {
    sandboxed.release()
  }
}

async function worksOutside(attempt: Attempt): Promise<boolean> {
  const state = sandboxProject.snapshot()
  const packets = sandboxProject.packets()
  const output = await run(['bash', '-c', scriptOf([attempt], join(sandboxProject.project, 'work'))], 'outside')
  if (attempt.sign === 'escaped') return output.includes('ESCAPED')
  if (attempt.sign === 'secret') return output.includes(sandboxProject.secret)
  const hasHappened = (): boolean =>
    attempt.sign === 'packet'
      ? sandboxProject.packets() > packets
      : differences(state, sandboxProject.snapshot()).length > 0
  return eventually(hasHappened, Boolean, 1500).catch(() => false)
}

async function run([file = '', ...args]: readonly string[], where: string): Promise<string> {
  const env = { PATH: process.env.PATH, PYTHON: PYTHON ?? '', WHERE: where, ...sandboxProject.env }
  const child = spawn(file, args, {
    cwd: sandboxProject.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => child.once('close', resolve))
  return `\n${Buffer.concat(chunks).toString('latin1')}`
}
