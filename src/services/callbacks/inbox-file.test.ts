import { mkdtempSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Failure } from '../../lib/failure.js'
import { putIntoInbox } from './inbox-file.js'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-inbox-'))

test('a message lies there whole', () => {
  const text = '한'.repeat(20_000)
  const path = putIntoInbox(newFolder(), 'one', text)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mode: 'queue', text })
})

// Readers move such a file away, and then it would count as read.
test.each(['한'.repeat(30_000), '"'.repeat(40_000), 'x'.repeat(66_000)])(
  'one that readers do not take is not put there',
  (text) => {
    const folder = newFolder()
    expect(() => putIntoInbox(folder, 'one', text)).toThrow(Failure)
    expect(readdirSync(folder)).toEqual([])
  },
)

test('nothing is put behind a link', () => {
  const [folder, victim] = [newFolder(), newFolder()]
  symlinkSync(victim, join(folder, 'inbox'))
  expect(() => putIntoInbox(folder, 'one', 'x')).toThrow(Failure)
  expect(readdirSync(victim)).toEqual([])
})
