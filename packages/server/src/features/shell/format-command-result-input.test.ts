import { expect, test } from 'vitest'

import { mayNeedInput } from './format-command-result.js'

test.each([
  'Continue? [y/N] ',
  'installing\nProject name: ',
  'Do you want to go on (yes/no)? ',
  'Password:',
  '>>> ',
  'sqlite> ',
  '? Pick one › (a/b)',
  'Traceback (most recent call last):\n  File "a.py", line 1\nEOFError: EOF when reading a line\n',
  'the input device is not a TTY\n',
  'sudo: a terminal is required; no tty present and no askpass program specified\n',
  'Error [ERR_USE_AFTER_CLOSE]: readline was closed\n',
])('may have wanted input: %j', (output) => {
  expect(mayNeedInput(output)).toBe(true)
})

test.each([
  '',
  'partly',
  'error: no such file\n',
  'error: what now?\n',
  'Usage: tool [options]\n',
  '3 tests failed:\n',
  'progress 50%',
  'done.',
  'const a = [1, 2, 3];',
])('did not: %j', (output) => {
  expect(mayNeedInput(output)).toBe(false)
})
