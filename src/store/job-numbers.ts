// The numbers of jobs: a folder each, made by whoever takes the number, which only one can do. They grow and none is
// given twice, also with many servers at once and while old ones are removed. The highest folder tells which numbers
// were given, so it is never removed, not even where its taking failed halfway.

import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'

const MAX = 999_999_999

export function takeNumber(folder: string): number {
  for (;;) {
    const number = highestIn(folder) + 1
    if (number > MAX) throw new Failure(`The numbers of jobs are used up; delete ${folder} and begin again at 1`)
    if (!claim(join(folder, String(number)))) continue
    // Between the look and the claim it may have been given to another, used, and removed. Then there are higher ones.
    if (highestIn(folder) === number) return number
    giveBack(join(folder, String(number)))
  }
}

export function isJobNumber(name: string): boolean {
  return /^[1-9]\d{0,8}$/.test(name)
}

function highestIn(folder: string): number {
  return readdirSync(folder).reduce(
    (highest, name) => (isJobNumber(name) ? Math.max(highest, Number(name)) : highest),
    0,
  )
}

function claim(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function giveBack(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // An empty folder does no harm.
  }
}
