// The files of the sandbox are shared by all sandboxes of a state folder, of this process and of others.

import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { writeSandboxFiles } from './sandbox-files.js'

test('what a running sandbox mounts is not replaced by the next one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-files-'))
  const first = writeSandboxFiles(folder, 'x64')
  const inodes = [first.emptyFile, first.seccompFile].map((path) => statSync(path).ino)
  const second = writeSandboxFiles(folder, 'x64')
  expect([second.emptyFile, second.seccompFile].map((path) => statSync(path).ino)).toEqual(inodes)
  expect(second.secretFile).not.toBe(first.secretFile)
})

test('a file with another content is replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-files-'))
  writeFileSync(join(folder, 'empty'), 'not empty')
  expect(statSync(writeSandboxFiles(folder, 'x64').emptyFile).size).toBe(0)
})
