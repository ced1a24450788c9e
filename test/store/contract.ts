// The contract of every database: run on SQLite and on a real PostgreSQL.

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { openStateDatabase, type Scope, type StateDatabase, type StateTables } from '@scorpiox/server/state'
import type { DatabaseLocation } from '@scorpiox/server/storage/open-database'
import { toStorableText } from '@scorpiox/server/text/normalize-text'
import { allOf, operation, doBoth, emptyModel, filter, hostileText, readAll } from './model.js'

const SCOPE: Scope = { project: '/srv/project', user: 'ann' }

export function describeContract(name: string, newLocation: () => Promise<DatabaseLocation>): void {
  describe(`state in ${name}`, () => {
    let location: DatabaseLocation
    let state: StateDatabase
    let opened: StateDatabase[]

    const open = async (): Promise<StateDatabase> => {
      const another = await openStateDatabase(location)
      opened.push(another)
      return another
    }
    const newTask = (rows: StateTables, title = 'one') => rows.tasks.insert(title, 1)
    const count = (from: StateDatabase, scope = SCOPE) => from.read(scope, (rows) => rows.tasks.countAll())

    beforeEach(async () => {
      opened = []
      location = await newLocation()
      state = await open()
    })
    afterEach(async () => void (await Promise.all(opened.map((each) => each.close()))))

    for (const numRuns of [8, 40])
      test(
        `matches the model, in two scopes, with rollbacks, ${numRuns} runs`,
        { tags: numRuns > 8 ? ['long'] : [] },
        async () => {
          const transaction = fc.record({
            scope: fc.constantFrom(0, 1),
            operations: fc.array(operation, { minLength: 1, maxLength: 4 }),
            fails: fc.boolean(),
            filter,
          })
          let round = 0
          await fc.assert(
            fc.asyncProperty(fc.array(transaction, { maxLength: 12 }), async (transactions) => {
              const project = `/srv/round-${++round}`
              let models = [emptyModel(), emptyModel()]
              const scopes = [
                { project, user: 'a' },
                { project, user: 'b' },
              ]
              for (const { scope, operations, fails, filter: wanted } of transactions) {
                const trial = structuredClone(models)
                const work = async (rows: StateTables): Promise<void> => {
                  for (const each of operations) {
                    const [answered, expected] = await doBoth(rows, trial[scope]!, each)
                    expect(answered).toEqual(expected)
                  }
                  expect(await readAll(rows, wanted)).toEqual(allOf(trial[scope]!, wanted))
                  if (fails) throw new Failure('on purpose')
                }
                const done = state.write(scopes[scope]!, work)
                if (fails) await expect(done).rejects.toThrow('on purpose')
                else models = await done.then(() => trial)
                for (const [index, model] of models.entries()) {
                  const seen = await state.read(scopes[index]!, (rows) => readAll(rows, wanted))
                  expect(seen).toEqual(allOf(model, wanted))
                }
              }
            }),
            { numRuns },
          )
        },
      )

    test('keeps callbacks, sessions and messages of a scope, each message delivered once', async () => {
      const row = {
        session: 's\0',
        slot: 7,
        message: 'ünï 🦂 \ud800',
        setAt: 1,
        delayMs: 1000,
        repeatsLeft: -1,
        fireAt: 4_102_444_800_000,
        fireUptime: null,
        boot: 'b',
        job: null,
        pattern: null,
        position: null,
      }
      const other = { ...row, slot: 0, fireAt: null, job: 3, pattern: "'%", position: 0 }
      const stored = (one: typeof row | typeof other) => ({
        ...one,
        session: toStorableText(one.session),
        message: toStorableText(one.message),
      })
      await state.write(SCOPE, async ({ callbacks, sessions, messages }) => {
        await callbacks.upsert({ ...row, message: 'before' })
        await callbacks.upsert(row)
        await callbacks.upsert(other)
        await sessions.upsert({ name: 'a', owner: 'x', renewedAt: 1 })
        await sessions.upsert({ name: 'a', owner: 'y', renewedAt: 2 })
        await sessions.upsert({ name: 'b', owner: 'y', renewedAt: 2 })
        await sessions.release('b')
        for (const text of ['one', 'two', 'three']) {
          await messages.insert({ session: 'a', kind: text === 'two' ? 'answer' : 'callback', text, createdAt: 5 })
        }
      })
      const another = await open()
      await another.write(SCOPE, async ({ messages }) => {
        expect(await messages.markDelivered(1, { at: 10, via: 'result' })).toBe(true)
        expect(await messages.markDelivered(1, { at: 11, via: 'inbox' })).toBe(false)
        expect(await messages.markDelivered(99, { at: 11, via: 'inbox' })).toBe(false)
        await messages.setInboxFile(2, '/srv/inbox/x.json')
        await messages.moveToSession('a', 'c')
        await messages.deleteDeliveredBefore(10)
        await messages.deleteDeliveredBefore(11)
      })
      await state.read(SCOPE, async ({ callbacks, sessions, messages }) => {
        expect(await callbacks.list()).toEqual([stored(other), stored(row)])
        expect(await sessions.list()).toEqual([{ name: 'a', owner: 'y', renewedAt: 2 }])
        expect(await messages.listPending()).toEqual([
          { id: 2, session: 'c', kind: 'answer', text: 'two', createdAt: 5, file: '/srv/inbox/x.json' },
          { id: 3, session: 'c', kind: 'callback', text: 'three', createdAt: 5, file: null },
        ])
      })
      expect(await state.listUsersWithPendingItems(SCOPE.project)).toEqual([SCOPE.user])
      expect(await state.listUsersWithPendingItems('/srv/elsewhere')).toEqual([])
      const ofOtherUser = await state.read({ ...SCOPE, user: 'bob' }, async ({ callbacks }) => callbacks.list())
      expect(ofOtherUser).toEqual([])
      await state.write(SCOPE, async ({ callbacks, messages }) => {
        for (const { session, slot } of await callbacks.list()) await callbacks.remove(session, slot)
        for (const { id } of await messages.listPending()) await messages.markDelivered(id, { at: 12, via: 'page' })
      })
      expect(await state.listUsersWithPendingItems(SCOPE.project)).toEqual([])
    })

    test('keeps requests for the approval of a plan: one is open, and each is decided once', async () => {
      const plan = '# Plän 🦂'
      const request = { planId: 1, session: 'a', requestedAt: 5, userAsked: false, createTask: true, planFile: null }
      const decision = { channel: 'page', comment: 'ünï', editedText: 'x', path: 'p', task: null } as const
      await state.write(SCOPE, async ({ approvals }) => {
        await approvals.insert({ ...request, action: 'exit', text: plan })
        await approvals.markUserAsked(1)
        await approvals.decide(1, { ...decision, outcome: 'rejected' }, 6)
        await approvals.decide(1, { ...decision, outcome: 'approved' }, 7)
        await approvals.insert({ ...request, action: 'exit', text: plan, planFile: 'PLAN.md' })
        await approvals.discardOpen('replaced', 8)
        await approvals.insert({ ...request, action: 'reset', text: null })
      })
      const another = await open()
      const second = another.write(SCOPE, ({ approvals }) =>
        approvals.insert({ ...request, action: 'exit', text: plan }),
      )
      await expect(second).rejects.toThrow()
      await another.write(SCOPE, async ({ approvals }) => {
        await approvals.stopWaiting(3)
        await approvals.startWaiting(3, 'b')
        await approvals.moveToSession('b', 'c')
        await approvals.moveToSession('a', 'c')
      })
      await state.read(SCOPE, async ({ approvals }) => {
        const rejected = { ...request, id: 1, action: 'exit', text: plan, userAsked: true, waiting: true }
        const outcome = { decision: { ...decision, outcome: 'rejected' }, decidedAt: 6, deliveredAt: null }
        expect(await approvals.find(1)).toEqual({ ...rejected, ...outcome })
        expect(await approvals.findLastRejected(1)).toEqual({ ...rejected, ...outcome })
        expect(await approvals.find(2)).toMatchObject({ planFile: 'PLAN.md', decidedAt: 8, deliveredAt: 8 })
        expect(await approvals.findOpen()).toMatchObject({ id: 3, action: 'reset', session: 'c', waiting: false })
        expect((await approvals.listUnsettled()).map(({ id }) => id)).toEqual([1, 3])
        expect([await approvals.wasUserAsked(1), await approvals.wasUserAsked(2)]).toEqual([true, false])
      })
      expect(await state.listUsersWithPendingItems(SCOPE.project)).toEqual([SCOPE.user])
      await state.write(SCOPE, async ({ approvals }) => {
        await approvals.markDelivered(1, 9)
        await approvals.discardOpen('withdrawn', 9)
        await approvals.deleteSettled(1)
        expect([await approvals.find(1), await approvals.find(2)]).toMatchObject([{ id: 1 }, undefined])
        await approvals.deleteSettled(undefined)
        expect(await approvals.find(1)).toBeUndefined()
      })
      const past = await state.read(SCOPE, ({ pastEvents }) => pastEvents.listOfSession(request.session))
      expect(past.filter(({ kind }) => kind === 'approval').map(({ id }) => id)).toContain(1)
      const ofOtherUser = await state.read({ ...SCOPE, user: 'bob' }, ({ approvals }) => approvals.findOpen())
      expect(ofOtherUser).toBeUndefined()
    })

    test('keeps every one of 40 parallel writes of each of 3 connections, in order of their numbers', async () => {
      const states = [state, await open(), await open()]
      const ids = await Promise.all(
        states.flatMap((each) =>
          Array.from({ length: 40 }, () =>
            each.write(SCOPE, async (rows) => {
              const { tasks } = await rows.tasks.countAll()
              const { id } = await newTask(rows)
              expect(id).toBe(tasks + 1)
              return id
            }),
          ),
        ),
      )
      expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
      expect(await count(state)).toEqual({ tasks: 120, open: 120, openSteps: 0 })
    })

    test('a reader sees a consistent snapshot during concurrent writes', async () => {
      const writer = await open()
      const seen = await state.read(SCOPE, async (rows) => {
        const before = await rows.tasks.countAll()
        await writer.write(SCOPE, (others) => newTask(others))
        return [before, await rows.tasks.countAll()]
      })
      expect(seen[0]).toEqual(seen[1])
      expect(await count(state)).toMatchObject({ tasks: 1 })
    })

    test('returns every text unchanged, except NUL and lone surrogates', async () => {
      await fc.assert(
        fc.asyncProperty(hostileText, hostileText, hostileText, async (project, user, text) => {
          const scope = { project, user }
          const task = await state.write(scope, async (rows) => {
            const { id } = await newTask(rows, text)
            await rows.tasks.insertSteps(id, [{ text, completedAt: null }], 1)
            return id
          })
          const [found, steps, hits] = await state.read(scope, async (rows) => [
            await rows.tasks.find(task),
            await rows.tasks.listSteps(task),
            await rows.tasks.list({ terms: [text] }, 1000),
          ])
          expect(found?.name).toBe(toStorableText(text))
          expect(steps.map((each) => each.text)).toEqual([toStorableText(text)])
          expect(hits.map(({ id }) => id)).toContain(task)
        }),
        { numRuns: 60 },
      )
    })

    test('accepts a megabyte, and a thousand steps at once', async () => {
      const long = 'ß🦂'.repeat(350_000)
      const id = await state.write({ project: `/${'x'.repeat(4000)}`, user: 'u'.repeat(64) }, async (rows) => {
        const task = await newTask(rows, long)
        const steps = Array.from({ length: 1000 }, (_, index) => ({ text: `step ${index}`, completedAt: null }))
        const made = await rows.tasks.insertSteps(task.id, steps, 1)
        expect(made.map((each) => each.id)).toEqual(steps.map((_, index) => index + 1))
        expect(await rows.tasks.listSteps(task.id)).toEqual(made)
        expect(await rows.tasks.list({ terms: ['SS🦂', 'step 999'] }, 5)).toHaveLength(1)
        return task.id
      })
      expect(id).toBe(1)
    })

    test('nothing is kept after a failed statement, even if the work continues', async () => {
      const written = state.write(SCOPE, async (rows) => {
        await newTask(rows)
        await rows.plans.insert({ goal: 'a', session: 's', startedAt: 1 })
        await rows.plans.insert({ goal: 'b', session: 's', startedAt: 1 }).catch(() => {})
        await newTask(rows).catch(() => {})
      })
      await expect(written).rejects.toThrow(/unique/i)
      expect(await count(state)).toMatchObject({ tasks: 0 })
      await expect(state.write(SCOPE, (rows) => newTask(rows))).resolves.toMatchObject({ id: 1 })
    })

    test('steps of a missing task are an error and change nothing', async () => {
      const written = state.write(SCOPE, (rows) => rows.tasks.insertSteps(7, [{ text: 'x', completedAt: null }], 1))
      await expect(written).rejects.toThrow(/constraint/i)
      await expect(state.write(SCOPE, (rows) => rows.plans.addVersion(7, 'x', 1))).rejects.toThrow()
    })

    test('any number can be looked up, however large or small', async () => {
      const task = await state.write(SCOPE, async (rows) => {
        const made = await newTask(rows)
        await rows.tasks.insertSteps(made.id, [{ text: 'x', completedAt: null }], 1)
        return made
      })
      for (const asked of [1e20, -1e20, 2 ** 63, Number.MAX_VALUE, 0, -1]) {
        const [found, step, steps, before] = await state.read(SCOPE, async ({ tasks }) => [
          await tasks.find(asked),
          await tasks.findStep(asked),
          await tasks.listSteps(task.id, { from: asked }),
          await tasks.list({ terms: [], before: 999_999_999_999_999, except: 999_999_999_999_999 }, 5),
        ])
        expect([found, step]).toEqual([undefined, undefined])
        expect(steps).toHaveLength(asked > 0 ? 0 : 1)
        expect(before).toHaveLength(1)
      }
    })

    test('a reader cannot write, and rows cannot be used after their transaction', async () => {
      await expect(state.read(SCOPE, (rows) => newTask(rows))).rejects.toThrow('a read transaction cannot write')
      const kept = await state.write(SCOPE, async (rows) => rows)
      await expect(newTask(kept)).rejects.toThrow('has ended')
      await expect(kept.tasks.findCurrentId()).rejects.toThrow('has ended')
      expect(await count(state)).toMatchObject({ tasks: 0 })
    })

    test('notifies of its own and other changes, in the used scopes only', async () => {
      const other = await open()
      const away: Scope = { project: '/srv/other', user: 'ann' }
      const received: string[] = []
      const stop = state.onChange(({ project }) => received.push(project))
      await count(state)
      await state.write(SCOPE, (rows) => rows.tasks.findCurrentId())
      await expect(state.write(SCOPE, () => Promise.reject(new Failure('no')))).rejects.toThrow('no')
      expect(received).toEqual([])
      await state.write(SCOPE, (rows) => newTask(rows))
      await new Promise(setImmediate)
      expect(received).toEqual([SCOPE.project])
      await other.write(away, (rows) => newTask(rows))
      await other.write(SCOPE, (rows) => newTask(rows))
      await expect.poll(() => received, { timeout: 10_000 }).toEqual([SCOPE.project, SCOPE.project])
      stop()
      await state.write(SCOPE, (rows) => newTask(rows))
      await new Promise(setImmediate)
      expect(received).toHaveLength(2)
    })
  })
}
