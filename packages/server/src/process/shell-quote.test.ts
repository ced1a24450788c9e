import { expect, test } from 'vitest'

import { formatCommandLine, quoteShellWordIfNeeded } from './shell-quote.js'

test.each([
  ['linux', '/usr/bin/node', '/usr/bin/node'],
  ['linux', '/my files/a', "'/my files/a'"],
  ['linux', "it's", String.raw`'it'\''s'`],
  ['win32', String.raw`C:\node\node.exe`, String.raw`C:\node\node.exe`],
  ['win32', String.raw`C:\Program Files\node.exe`, String.raw`"C:\Program Files\node.exe"`],
  ['win32', 'C:\\my files\\', String.raw`"C:\my files\\"`],
  ['win32', String.raw`C:\Work\Smith,John`, String.raw`"C:\Work\Smith,John"`],
  ['win32', '@work/node', '"@work/node"'],
  ['win32', '%PATH%', '"%PATH%"'],
] as const)('on %s %s is typed as %s', (platform, word, typed) => {
  expect(quoteShellWordIfNeeded(word, platform)).toBe(typed)
})

test('PowerShell runs a quoted program only after &', () => {
  const words = [String.raw`C:\Program Files\node.exe`, 'install']
  expect(formatCommandLine(words, 'win32')).toBe(String.raw`& "C:\Program Files\node.exe" install`)
  expect(formatCommandLine(['node', 'my file'], 'win32')).toBe('node "my file"')
  expect(formatCommandLine(['/my files/node', 'install'], 'linux')).toBe("'/my files/node' install")
})
