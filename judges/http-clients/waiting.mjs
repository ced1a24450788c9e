// Small helpers of the HTTP judges: waiting for what happens elsewhere, and for refusals.
import assert from 'node:assert/strict'

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Polls, because what is awaited happens in another process. */
export async function until(what, condition, limit = 5000) {
  const end = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${limit} ms in vain until ${what}`)
    await sleep(20)
  }
}

/** The promise must reject, with this code unless undefined; resolves to the error. */
export async function rejectsWith(promise, code) {
  const error = await promise.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)?.slice(0, 200)}`),
    (reason) => reason,
  )
  if (code !== undefined) assert.equal(error.code, code, `code ${error.code}: ${error.message}`)
  return error
}
