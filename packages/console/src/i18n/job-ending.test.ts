import { describe, expect, test } from 'vitest'

import { findNewlyFailed, hasFailed, JOB_ENDINGS, type ListedJob } from './job-ending.js'

test('a job has failed if its exit code is not 0 or if it is known that its server was killed', () => {
  expect(JOB_ENDINGS.filter((ending) => hasFailed({ ending, exitCode: null }))).toEqual(['exit', 'server-lost'])
  expect(hasFailed({ ending: 'exit', exitCode: 0 })).toBe(false)
  expect(hasFailed({ ending: 'exit', exitCode: 137 })).toBe(true)
  // Killed by a person or the model, by a signal.
  expect(hasFailed({ ending: 'killed', exitCode: 137 })).toBe(false)
  expect(hasFailed({ ending: null, exitCode: null })).toBe(false)
})

describe('jobs that have failed since the last view', () => {
  const NOW = Date.UTC(2026, 0, 1)
  const running: ListedJob = { project: '/shop', id: 1, endedAt: null, ending: null, exitCode: null, signal: null }
  const failed: ListedJob = { ...running, endedAt: NOW - 100, ending: 'exit', exitCode: 3 }
  const old: ListedJob = { ...failed, endedAt: NOW - 3_600_000 }

  test('are those that ran then, however long that is ago', () => {
    expect(findNewlyFailed([running], [failed], NOW)).toEqual([failed])
    expect(findNewlyFailed([running], [old], NOW)).toEqual([old])
  })

  test('are also those that failed before they were listed', () => {
    expect(findNewlyFailed([], [failed], NOW)).toEqual([failed])
    expect(findNewlyFailed([{ ...running, id: 2 }], [failed, { ...running, id: 2 }], NOW)).toEqual([failed])
    expect(findNewlyFailed([{ ...failed, project: '/other' }], [failed], NOW)).toEqual([failed])
  })

  test('are not those that were listed as failed, that failed long ago, or that did not fail', () => {
    expect(findNewlyFailed([failed], [{ ...failed }], NOW)).toEqual([])
    expect(findNewlyFailed([], [old], NOW)).toEqual([])
    expect(
      findNewlyFailed(
        [running],
        [
          { ...failed, exitCode: 0 },
          { ...failed, id: 2, exitCode: 0 },
        ],
        NOW,
      ),
    ).toEqual([])
    expect(findNewlyFailed([], [running], NOW)).toEqual([])
  })
})
