import { expect, test } from 'vitest'

import { mayNeedInput, readsLine } from './format-command-result.js'

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
  '1) red\n2) blue\n#? ',
  "gpg: cannot open '/dev/tty': No such device or address\n",
  'sudo: a terminal is required to read the password; either use the -S option\nsudo: a password is required\n',
  "fatal: could not read Username for 'https://example.com': terminal prompts disabled\n",
  'Error: Cannot perform an interactive login from a non TTY device\n',
  'Do you want to continue? [Y/n] Abort.\n',
  'npm error npx canceled due to missing packages and no YES option: ["cowsay@1.6.0"]\n',
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

test.each([
  'read -p "Name? " name || exit 5',
  'cd src && read -r line; [ -n "$line" ]',
  'if read answer; then exit 0; fi; exit 1',
])('reads a line: %s', (command) => {
  expect(readsLine(command)).toBe(true)
})

test.each([
  'read -r line < file || exit 1',
  'cat file | read line',
  'ls | while read -r f; do false; done',
  'npm run read',
])('reads none: %s', (command) => {
  expect(readsLine(command)).toBe(false)
})
