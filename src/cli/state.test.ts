import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { marksOf } from '../services/marks.js'
import { openState } from '../store/state/open-state.js'
import type { Rows } from '../store/state/state.js'
import type { Flags } from './args.js'
import { stateReport } from './state.js'

const ANN = { project: '/srv/project', user: 'ann' }
const BOB = { project: '/srv/project', user: 'bob' }

let folder: string
const placeOf = (name: string) => ({ file: join(folder, name, 'state.db'), databaseUrl: '' })
const run = (name: string, operands: readonly string[], flags: Flags = {}) =>
  stateReport(placeOf(name), { operands, flags })

async function put(name: string, scope: typeof ANN, work: (rows: Rows) => Promise<unknown>): Promise<void> {
  const state = await openState(placeOf(name))
  await state.write(scope, work)
  await state.close()
}

async function fill(rows: Rows): Promise<void> {
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
  await rows.plans.end(plan.id, { outcome: 'accepted', endedAt: 3, planFile: 'plan.md' })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scorpiox-state-'))
})

describe('state path', () => {
  test('prints the file, or the address without its password', async () => {
    expect(await run('here', ['path'])).toBe(`${join(folder, 'here', 'state.db')}\n`)
    const place = { file: '', databaseUrl: 'postgres://ann:s3cret@db.example.com/app' }
    expect(await stateReport(place, { operands: ['path'], flags: {} })).toBe('postgres://ann:****@db.example.com/app\n')
  })
})

describe('state export and import', () => {
  test('an open plan that comes in is enforced, and no other', async () => {
    await put('one', ANN, (rows) => rows.plans.insert({ goal: 'g', session: 's', startedAt: 1 }))
    await put('one', BOB, fill)
    const file = join(folder, 'export.json')
    await run('one', ['export', file])
    await run('two', ['import', file])
    const marks = marksOf(join(folder, 'two'), 'plans', ANN.project)
    expect([marks.isThere('ann'), marks.isThere('bob')]).toEqual([true, false])
  })

  test('what goes out comes in, exactly, and numbers go on from there', async () => {
    await put('one', ANN, fill)
    await put('one', BOB, (rows) => rows.tasks.insert('of bob', 1))
    const file = join(folder, 'export.json')
    expect(await run('one', ['export', file])).toBe(`Exported 3 tasks and 1 plan of 2 projects to ${file}.\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await run('one', ['export'])).toBe(readFileSync(file, 'utf8'))
    expect(await run('two', ['import', file])).toMatch(
      /^Imported 3 tasks and 1 plan of 2 projects into .*state\.db\.$/m,
    )
    expect(await run('two', ['export'])).toBe(readFileSync(file, 'utf8'))
    await put('two', ANN, async (rows) => {
      expect(await rows.tasks.list({ terms: ['ubung', 'B'] }, 5)).toHaveLength(1)
      expect(await rows.tasks.insert('three', 1)).toMatchObject({ id: 3 })
      expect(await rows.tasks.insertSteps(1, [{ text: 'c', completedAt: null }], 1)).toMatchObject([{ id: 3 }])
    })
  })

  test('nothing at all is an export too, and makes no file', async () => {
    expect(JSON.parse(await run('none', ['export']))).toEqual({ version: 1, scopes: [] })
    expect(() => statSync(join(folder, 'none'))).toThrow('ENOENT')
  })

  test('what is there already is refused by name, all or nothing, unless it is to be replaced', async () => {
    await put('one', ANN, fill)
    await put('one', BOB, fill)
    const file = join(folder, 'export.json')
    await run('one', ['export', file])
    await put('two', BOB, async (rows) => {
      for (let count = 0; count < 9; count++) await rows.tasks.insert('mine', 1)
    })
    const before = await run('two', ['export'])
    await expect(run('two', ['import', file])).rejects.toThrow(
      /already has tasks or plans for \/srv\/project of bob; nothing was imported. Use --replace/,
    )
    expect(await run('two', ['export'])).toBe(before)
    await run('two', ['import', file], { replace: true })
    await put('two', BOB, async (rows) => {
      expect(await rows.tasks.count({ terms: ['mine'] })).toMatchObject({ tasks: 0 })
      // The numbers of what was replaced are not used again.
      expect(await rows.tasks.insert('next', 1)).toMatchObject({ id: 10 })
    })
  })

  test.each([
    ['{', 'it is not JSON'],
    ['[]', 'it is not an export of tasks and plans'],
    ['{"version": 2, "scopes": []}', 'its version is 2; this program reads version 1'],
    ['{"version": 1, "scopes": {}}', 'scopes must be a list'],
    ['{"version": 1, "scopes": [7]}', 'scopes[0] must be an object'],
  ])('%s is no document: %s', async (text, reason) => {
    const file = join(folder, 'bad.json')
    writeFileSync(file, text)
    await expect(run('one', ['import', file])).rejects.toThrow(`${file} cannot be imported: ${reason}`)
  })

  test('a document that contradicts itself is refused with the place', async () => {
    await put('one', ANN, fill)
    const file = join(folder, 'edited.json')
    const edits: [RegExp, string, RegExp][] = [
      [/"id": 2,/, '"id": 1,', /scopes\[0\]\.tasks|the steps of scopes\[0\]\.tasks must be different/],
      [/"nextTask": 3/, '"nextTask": 2', /scopes\[0\]\.tasks must be numbered below the next number, 2/],
      [/"currentTask": 1/, '"currentTask": 7', /currentTask must be the id of one of its tasks, or null/],
      [/"outcome": "accepted"/, '"outcome": "maybe"', /plans\[0\]\.outcome must be open, accepted or reset/],
      [/"number": 1/, '"number": 2', /plans\[0\]\.versions must be numbered 1, 2, 3/],
      [/"createdAt": 10/, '"createdAt": "10"', /tasks\[0\]\.createdAt must be a time in milliseconds/],
      [/"name": "two"/, '"name": null', /tasks\[1\]\.name must be a text/],
    ]
    for (const [from, to, reason] of edits) {
      writeFileSync(file, (await run('one', ['export'])).replace(from, to))
      await expect(run('two', ['import', file])).rejects.toThrow(reason)
    }
  })

  test('whatever the JSON, the answer is a sentence and nothing is half done', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.anything(), async (text, part) => {
        const file = join(folder, 'any.json')
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

  test('files that are not there or cannot be written are named', async () => {
    await expect(run('one', ['import', join(folder, 'no.json')])).rejects.toThrow(/no\.json cannot be imported: ENOENT/)
    await expect(run('one', ['export', join(folder, 'no', 'x.json')])).rejects.toThrow(/x\.json cannot be written/)
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
