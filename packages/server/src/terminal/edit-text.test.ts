import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { editText, windowsEditor } from './edit-text.js'

const ENV = { SystemRoot: 'C:\\Windows', ComSpec: 'C:\\Windows\\System32\\cmd.exe' }
const CODE = 'C:\\Program Files\\VS Code\\code.exe'
const edit = (variables: NodeJS.ProcessEnv) =>
  windowsEditor('plan.md', { ...ENV, ...variables }, (path) => path === CODE)
const commandLine = (line: string) => ({
  file: ENV.ComSpec,
  args: ['/d', '/v:off', '/s', '/c', line],
  isCommandLine: true,
})

test('on Windows the editor is that of the variables, and by default Notepad', () => {
  expect(edit({ Visual: 'code --wait', EDITOR: 'vim' })).toEqual(commandLine('"code --wait plan.md"'))
  expect(edit({ VISUAL: '', EDITOR: CODE })).toEqual(commandLine(`""${CODE}" plan.md"`))
  expect(edit({})).toEqual({ file: 'C:\\Windows\\System32\\notepad.exe', args: ['plan.md'], isCommandLine: false })
})

test('the variables may contain arguments', needs(MISSING.bash), async () => {
  const script = join(mkdtempSync(join(tmpdir(), 'scorpiox-edit-test-')), 'append')
  writeFileSync(script, '#!/bin/sh\nprintf %s "$1" >> "$2"\n')
  chmodSync(script, 0o755)
  expect(await editText('a\r\n', 'plan.md', { ...process.env, VISUAL: `${script} more` })).toBe('a\r\nmore')
  await expect(editText('a', 'plan.md', { ...process.env, VISUAL: 'false' })).rejects.toThrow('exit code 1')
})
