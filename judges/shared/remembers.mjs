// What is remembered, under one runtime: tasks and plans over a restart, a skill that is shipped, and nothing on stderr,
// where Node 22 would call its SQLite experimental.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openSession } from './session.mjs'

const here = import.meta.dirname
const program = resolve(here, '../../dist/scorpiox-code.js')

/** Two connections, one after the other, to servers that share a home. */
export async function remembers(report, label, client, runtime) {
  const scratch = mkdtempSync(join(tmpdir(), 'judge-'))
  process.chdir(scratch)
  try {
    for (const [name, checks] of Object.entries({ first: firstChecks, restarted: restartedChecks })) {
      await conductOne(report, `${label} | ${name}`, client, { command: runtime, args: [program] }, checks, scratch)
    }
  } finally {
    process.chdir(here)
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function conductOne(report, label, client, target, checks, scratch) {
  const session = await openSession(client, target, scratch)
  const run = (what, check) =>
    report.check(
      `${label} | ${what}`,
      async () => check(),
      () => session.evidence(),
    )
  try {
    if (!(await run('connects', session.connect))) return
    for (const [what, check] of checks(session)) await run(what, check)
    await run('clean close', async () => assert.equal((await session.close()).code, 0))
    await run('nothing on stderr', () => assert.equal(readFileSync(join(scratch, 'stderr.txt'), 'utf8'), ''))
  } finally {
    session.dispose()
  }
}

function firstChecks(session) {
  return [
    [
      'TaskManager create',
      () => answers(session, 'TaskManager', { action: 'create', query: '', text: 'Kept' }, /task 1 "Kept"/),
    ],
    [
      'TaskManager add',
      () => answers(session, 'TaskManager', { action: 'add', query: '', text: 'A step' }, /step 1 "A step"/),
    ],
    [
      'TaskManager list',
      () => answers(session, 'TaskManager', { action: 'list', query: 'kept' }, /^1 task found.*\n\* 1 {2}Kept/),
    ],
    ['InvokeSkill', () => answers(session, 'InvokeSkill', { skill_name: 'create-skill' }, /create-skill/)],
    ['PlanMode enter', () => answers(session, 'PlanMode', { action: 'enter', goal: 'Outlive it' }, /plan/i)],
  ]
}

function restartedChecks(session) {
  return [
    [
      'TaskManager pending',
      () => answers(session, 'TaskManager', { action: 'pending', query: '' }, /\* 1 {2}Kept[^]*1 {2}A step/),
    ],
    ['PlanMode status', () => answers(session, 'PlanMode', { action: 'status' }, /Outlive it/)],
    ['PlanMode reset', () => answers(session, 'PlanMode', { action: 'reset' }, /reset/i)],
    [
      'TaskManager complete',
      () => answers(session, 'TaskManager', { action: 'complete', query: '' }, /^Completed task 1/),
    ],
  ]
}

async function answers(session, name, args, expected) {
  const { isError, content } = await session.callTool(name, args)
  const text = content.map((block) => block.text ?? '').join('\n')
  assert.ok(!isError, text)
  assert.match(text, expected)
}
