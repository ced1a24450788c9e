import { dirname } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { findExecutableEntry, locateProgramFiles } from './program-files.js'

function startedAs(script: string): void {
  const { argv } = process
  process.argv = [argv[0] ?? '', script]
  onTestFinished(() => void (process.argv = argv))
}

test('a program in a folder has its files there', () => {
  startedAs('/srv/scorpiox/dist/scorpiox-code.js')
  expect(findExecutableEntry()).toBeUndefined()
  const folder = '/srv/scorpiox/dist'
  expect(locateProgramFiles(folder)).toEqual({ programDir: folder, partsDir: folder, ownCode: folder })
})

test.each(['/$bunfs/root/scorpiox-code', 'B:/~BUN/root/scorpiox-code.exe'])(
  'an executable has them within: %s',
  (entry) => {
    startedAs(entry)
    expect(findExecutableEntry()).toBe(entry)
    expect(locateProgramFiles('')).toEqual({
      programDir: dirname(process.execPath),
      partsDir: dirname(entry),
      ownCode: process.execPath,
    })
  },
)
