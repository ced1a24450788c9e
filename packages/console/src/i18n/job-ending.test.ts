import { expect, test } from 'vitest'

import { hasFailed, JOB_ENDINGS } from './job-ending.js'

test('a job has failed if its exit code is not 0 or if it is known that its server was killed', () => {
  expect(JOB_ENDINGS.filter((ending) => hasFailed({ ending, exitCode: null }))).toEqual(['exit', 'server-lost'])
  expect(hasFailed({ ending: 'exit', exitCode: 0 })).toBe(false)
  expect(hasFailed({ ending: 'exit', exitCode: 137 })).toBe(true)
  // Killed by a person or the model, by a signal.
  expect(hasFailed({ ending: 'killed', exitCode: 137 })).toBe(false)
  expect(hasFailed({ ending: null, exitCode: null })).toBe(false)
})
