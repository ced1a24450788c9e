import { mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { MISSING, needs } from '../../../../test/support/runtime.js'
import { writeInboxFile } from './message-delivery.js'

const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-inbox-'))

test('writes the whole message', () => {
  const text = '한'.repeat(20_000)
  const path = writeInboxFile(newDirectory(), 'one', text)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mode: 'queue', text })
})

// Readers move such a file away, and then it would count as read.
test.each(['한'.repeat(30_000), '"'.repeat(40_000), 'x'.repeat(66_000)])(
  'does not write a message that readers would not accept',
  (text) => {
    const directory = newDirectory()
    expect(() => writeInboxFile(directory, 'one', text)).toThrow(Failure)
    expect(readdirSync(directory)).toEqual([])
  },
)

test('does not write through a link', needs(MISSING.links), () => {
  const [directory, victim] = [newDirectory(), newDirectory()]
  symlinkSync(victim, join(directory, 'inbox'))
  expect(() => writeInboxFile(directory, 'one', 'x')).toThrow(Failure)
  expect(readdirSync(victim)).toEqual([])
})
