import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { openStateDatabase, type StateTables } from '@scorpiox/server/state'
import { openFlagFiles } from '@scorpiox/server/storage/flag-files'
import { MODES } from '../../../../../test/support/runtime.js'
import type { CommandFlags } from '../../arguments.js'
import { runStateCommand } from './state-command.js'

const ANN = { project: '/srv/project', user: 'ann' }
const BOB = { project: '/srv/project', user: 'bob' }

let directory: string
const locationOf = (name: string) => ({ file: join(directory, name, 'state.db'), databaseUrl: '' })
const run = (name: string, operands: readonly string[], flags: CommandFlags = {}) =>
  runStateCommand(locationOf(name), { operands, flags })

async function store(name: string, scope: typeof ANN, work: (rows: StateTables) => Promise<unknown>): Promise<void> {
  const state = await openStateDatabase(locationOf(name))
  await state.write(scope, work)
  await state.close()
}

async function fill(rows: StateTables): Promise<void> {
  const task = await rows.tasks.insert('Übung', 10)
  await rows.tasks.insertSteps(
    task.id,
    [
      { text: 'a', completedAt: null },
      { text: 'b', completedAt: 12 },
    ],
    11,
  )
  await rows.tasks.insert('two', 13)
  await rows.tasks.setCurrent(task.id)
  const plan = await rows.plans.insert({ goal: 'g', session: 's', startedAt: 1 })
  await rows.plans.addVersion(plan.id, '- [ ] x', 2)
  await rows.plans.close(plan.id, { outcome: 'accepted', endedAt: 3, planFile: 'plan.md' })
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'scorpiox-state-'))
})

describe('state path', () => {
  test('prints the file, or the address without its password', async () => {
    expect(await run('here', ['path'])).toBe(`${join(directory, 'here', 'state.db')}\n`)
    const location = { file: '', databaseUrl: 'postgres://ann:s3cret@db.example.com/app' }
    expect(await runStateCommand(location, { operands: ['path'], flags: {} })).toBe(
      'postgres://ann:****@db.example.com/app\n',
    )
  })
})

describe('state export and import', () => {
  test('an imported open plan is enforced, a closed one is not', async () => {
    await store('one', ANN, (rows) => rows.plans.insert({ goal: 'g', session: 's', startedAt: 1 }))
    await store('one', BOB, fill)
    const file = join(directory, 'export.json')
    await run('one', ['export', file])
    await run('two', ['import', file])
    const marks = openFlagFiles(join(directory, 'two'), 'plans', ANN.project)
    expect([marks.isSet('ann'), marks.isSet('bob')]).toEqual([true, false])
  })

  test('an import restores the export exactly, and numbering continues', async () => {
    await store('one', ANN, fill)
    await store('one', BOB, (rows) => rows.tasks.insert('of bob', 1))
    const file = join(directory, 'export.json')
    expect(await run('one', ['export', file])).toBe(`Exported 3 tasks and 1 plan of 2 projects to ${file}.\n`)
    expect(statSync(file).mode & 0o777).toBe(MODES.private)
    expect(await run('one', ['export'])).toBe(readFileSync(file, 'utf8'))
    expect(await run('two', ['import', file])).toMatch(
      /^Imported 3 tasks and 1 plan of 2 projects into .*state\.db\.$/m,
    )
    expect(await run('two', ['export'])).toBe(readFileSync(file, 'utf8'))
    await store('two', ANN, async (rows) => {
      expect(await rows.tasks.list({ terms: ['ubung', 'B'] }, 5)).toHaveLength(1)
      expect(await rows.tasks.insert('three', 1)).toMatchObject({ id: 3 })
      expect(await rows.tasks.insertSteps(1, [{ text: 'c', completedAt: null }], 1)).toMatchObject([{ id: 3 }])
    })
  })

  test('exporting an empty state works and creates no database', async () => {
    expect(JSON.parse(await run('none', ['export']))).toEqual({ version: 1, scopes: [] })
    expect(() => statSync(join(directory, 'none'))).toThrow('ENOENT')
  })

  test('importing into a project with tasks is refused as a whole without --replace', async () => {
    await store('one', ANN, fill)
    await store('one', BOB, fill)
    const file = join(directory, 'export.json')
    await run('one', ['export', file])
    await store('two', BOB, async (rows) => {
      for (let count = 0; count < 9; count++) await rows.tasks.insert('mine', 1)
    })
    const before = await run('two', ['export'])
    await expect(run('two', ['import', file])).rejects.toThrow(
      /already has tasks or plans for \/srv\/project of bob; nothing was imported. Use --replace/,
    )
    expect(await run('two', ['export'])).toBe(before)
    await run('two', ['import', file], { replace: true })
    await store('two', BOB, async (rows) => {
      expect(await rows.tasks.list({ terms: ['mine'] }, 1)).toEqual([])
      // The numbers of what was replaced are not used again.
      expect(await rows.tasks.insert('next', 1)).toMatchObject({ id: 10 })
    })
  })

  test.each([
    ['{', 'it is not JSON'],
    ['[]', 'it is not an export of tasks and plans'],
    ['{"version": 2, "scopes": []}', 'its version is 2; this program reads version 1'],
    ['{"version": 1, "scopes": {}}', 'scopes must be an array'],
    ['{"version": 1, "scopes": [7]}', 'scopes[0] must be an object'],
  ])('%s is no document: %s', async (text, reason) => {
    const file = join(directory, 'bad.json')
    writeFileSync(file, text)
    await expect(run('one', ['import', file])).rejects.toThrow(`${file} cannot be imported: ${reason}`)
  })

  test('an inconsistent document is rejected with the location of the error', async () => {
    await store('one', ANN, fill)
    const file = join(directory, 'edited.json')
    const edits: [RegExp, string, RegExp][] = [
      [/"id": 2,/, '"id": 1,', /scopes\[0\]\.tasks|the steps of scopes\[0\]\.tasks must be unique/],
      [/"nextTask": 3/, '"nextTask": 2', /scopes\[0\]\.tasks must be numbered below 2, the next number/],
      [/"currentTask": 1/, '"currentTask": 7', /currentTask must be the id of one of its tasks, or null/],
      [/"outcome": "accepted"/, '"outcome": "maybe"', /plans\[0\]\.outcome must be open, accepted or reset/],
      [
        /"versions": \[\s*(\{[^}]*\})/,
        '"versions": [$1, $1',
        /plans\[0\]\.versions must be numbered in ascending order/,
      ],
      [/"createdAt": 10/, '"createdAt": "10"', /tasks\[0\]\.createdAt must be a time in milliseconds/],
      [/"name": "two"/, '"name": null', /tasks\[1\]\.name must be a string/],
    ]
    for (const [from, to, reason] of edits) {
      writeFileSync(file, (await run('one', ['export'])).replace(from, to))
      await expect(run('two', ['import', file])).rejects.toThrow(reason)
    }
  })

  test('any JSON either imports fully or fails with a message and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.anything(), async (text, part) => {
        const file = join(directory, 'any.json')
        const scope = {
          project: '/p',
          user: 'u',
          nextTask: 1,
          nextStep: 1,
          nextPlan: 1,
          currentTask: null,
          tasks: [part],
        }
        for (const document of [text, JSON.stringify({ version: 1, scopes: [scope] }, noBigInt)]) {
          writeFileSync(file, document)
          await expect(run('one', ['import', file])).rejects.toThrow('any.json cannot be imported: ')
        }
        expect(JSON.parse(await run('one', ['export']))).toEqual({ version: 1, scopes: [] })
      }),
      { numRuns: 50 },
    )
  })

  test('missing and unwritable files are named in the error', async () => {
    await expect(run('one', ['import', join(directory, 'no.json')])).rejects.toThrow(
      /no\.json cannot be imported: ENOENT/,
    )
    await expect(run('one', ['export', join(directory, 'no', 'x.json')])).rejects.toThrow(/x\.json cannot be written/)
  })

  test.each([[[]], [['import']], [['path', 'x']], [['export', 'a', 'b']], [['delete']]])(
    '%j is not understood',
    async (operands) => {
      await expect(run('one', operands)).rejects.toThrow('state needs one of: path, export [file], import <file>')
    },
  )
})

function noBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
