import type * as FileSystem from 'node:fs'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, test, vi } from 'vitest'

import { allocateJobId } from './job-files.js'

/** What other processes do between listing and mkdir. */
let meanwhile: (() => void) | undefined

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof FileSystem>()
  const makeFolder = (...args: Parameters<typeof fs.mkdirSync>): string | undefined => {
    const others = meanwhile
    meanwhile = undefined
    others?.()
    return fs.mkdirSync(...args)
  }
  return { ...fs, mkdirSync: makeFolder }
})

let folder = ''

beforeEach(() => {
  meanwhile = undefined
  folder = mkdtempSync(join(tmpdir(), 'scorpiox-numbers-'))
})

test('ids start at 1 and increase, whatever else is in the folder', () => {
  expect([allocateJobId(folder), allocateJobId(folder)]).toEqual([1, 2])
  mkdirSync(join(folder, '20'))
  writeFileSync(join(folder, '30'), '')
  mkdirSync(join(folder, '040'))
  expect(allocateJobId(folder)).toBe(31)
})

test('skips an id that another process allocates first', () => {
  meanwhile = () => mkdirSync(join(folder, '1'))
  expect(allocateJobId(folder)).toBe(2)
})

test('does not reuse an id that was allocated, used and removed meanwhile', () => {
  meanwhile = () => {
    mkdirSync(join(folder, '1'))
    mkdirSync(join(folder, '2'))
    rmdirSync(join(folder, '1'))
  }
  expect(allocateJobId(folder)).toBe(3)
  expect(existsSync(join(folder, '1'))).toBe(false)
})

test('throws if no id is left', () => {
  mkdirSync(join(folder, '999999999'))
  expect(() => allocateJobId(folder)).toThrow(`No job IDs are left. Delete ${folder}`)
  expect(readdirSync(folder)).toEqual(['999999999'])
})
