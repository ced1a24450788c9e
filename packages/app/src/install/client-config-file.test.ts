import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, MODES, needs } from '../../../../test/support/runtime.js'
import { readClientConfig, writeClientConfig } from './client-config-file.js'

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'scorpiox-home-'))
}

test('the backup has the content and the permissions of the file that was read', () => {
  const path = join(folder(), 'settings.json')
  writeFileSync(path, '{"key": "secret"}')
  chmodSync(path, 0o600)
  const backup = writeClientConfig(readClientConfig(path), '{}', new Date()) ?? ''
  expect(readFileSync(backup, 'utf8')).toBe('{"key": "secret"}')
  expect([path, backup].map((each) => statSync(each).mode & 0o777)).toEqual([MODES.private, MODES.private])
})

test('does not write through a link that was created since', needs(MISSING.links), () => {
  const directory = folder()
  const path = join(directory, 'settings.json')
  const secret = join(folder(), 'secret')
  writeFileSync(secret, 'a secret')
  writeFileSync(path, '{}')
  const file = readClientConfig(path)
  rmSync(path)
  symlinkSync(secret, path)
  expect(() => writeClientConfig(file, '{"ours": 1}', new Date())).toThrow('was changed by another program')
  expect(readdirSync(directory)).toEqual(['settings.json'])
  expect(readFileSync(secret, 'utf8')).toBe('a secret')
})

test('does not block on a FIFO that was created since, and leaves no files', needs(MISSING.fifos), () => {
  const directory = folder()
  const path = join(directory, 'settings.json')
  writeFileSync(path, '{}')
  const file = readClientConfig(path)
  rmSync(path)
  execFileSync('mkfifo', [path])
  expect(() => writeClientConfig(file, '{"ours": 1}', new Date())).toThrow('is not a regular file')
  expect(readdirSync(directory)).toEqual(['settings.json'])
})
