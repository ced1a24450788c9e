import { expect, test } from 'vitest'

import { createJobRecorder } from './job-recorder.js'
import type { PastJob } from './past-job-table.js'

const JOB: PastJob = {
  project: '/project',
  session: 'session',
  server: 'server',
  id: 1,
  command: 'true',
  startedAt: 1,
  endedAt: 2,
  outcome: 'ok',
}

test('close waits for jobs that are being recorded, and records each once', async () => {
  let open = (): void => undefined
  const isOpen = new Promise<void>((resolve) => (open = resolve))
  const recorded: (readonly PastJob[])[] = []
  const errors: unknown[] = []
  let isClosed = false
  const recorder = createJobRecorder({
    listJobs: async () => [JOB],
    async openHistory() {
      await isOpen
      return {
        async appendJobs(_user, jobs) {
          if (isClosed) throw new Error('used after close')
          recorded.push(jobs)
        },
      }
    },
    onError: (error) => errors.push(error),
  })
  recorder.onChange('ann')
  const closed = recorder.close().then(() => (isClosed = true))
  await new Promise(setImmediate)
  open()
  await closed
  expect(errors).toEqual([])
  expect(recorded).toEqual([[JOB]])
})
