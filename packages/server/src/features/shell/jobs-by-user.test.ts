import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Job } from './job.js'
import { createJobsByUser } from './jobs-by-user.js'
import type { UserJobs } from './user-jobs.js'

const HOUR_MS = 60 * 60 * 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function unused(): never {
  throw new Error('not used here')
}

function userWith(isRunning: boolean): UserJobs {
  return {
    list: () => [jobWith(isRunning)],
    takeOverAndList: unused,
    find: unused,
    start: unused,
    recordRunning: unused,
    remove: unused,
    recordTyped: unused,
  }
}

function jobWith(isRunning: boolean): Job {
  return {
    id: 1,
    get record() {
      return unused()
    },
    isRunning,
    ended: Promise.resolve(),
    get output() {
      return unused()
    },
    outputProblem: undefined,
    flush: unused,
    lastEscapeAt: unused,
    onChange: unused,
    nextChange: unused,
    update: unused,
    kill: unused,
    leftoverPids: unused,
    stdin: undefined,
    areLeftoversUnlisted: false,
    readPositions: new Map(),
  }
}

async function openUsers(names: readonly string[]) {
  const opened: string[] = []
  const users = createJobsByUser(async (user) => {
    opened.push(user)
    return userWith(user === 'busy')
  })
  for (const name of names) await users.of(name)
  return { users, opened }
}

test('a user without a call for an hour is forgotten, one with a running job and one with calls are not', async () => {
  const { users, opened } = await openUsers(['idle', 'busy', 'active'])
  await vi.advanceTimersByTimeAsync(HOUR_MS / 2)
  await users.of('active')
  await vi.advanceTimersByTimeAsync(HOUR_MS * 0.8)
  expect([users.ifOpen('idle'), users.all().length]).toEqual([undefined, 2])
  await users.of('idle')
  expect(opened).toEqual(['idle', 'busy', 'active', 'idle'])
  users.close()
})

test('a single user is kept, because its session continues to read where it stopped', async () => {
  const { users, opened } = await openUsers(['only'])
  await vi.advanceTimersByTimeAsync(HOUR_MS * 5)
  await users.of('only')
  expect(opened).toEqual(['only'])
  users.close()
})

test('after a failure the next call opens again', async () => {
  let attempts = 0
  const users = createJobsByUser(() =>
    ++attempts === 1 ? Promise.reject(new Error('no')) : Promise.resolve(userWith(false)),
  )
  await expect(users.of('ann')).rejects.toThrow('no')
  expect((await users.of('ann')).list()).toHaveLength(1)
  users.close()
})
