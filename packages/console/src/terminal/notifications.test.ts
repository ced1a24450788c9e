import { expect, test } from 'vitest'

import { notificationSequence } from './notifications.js'

test('terminals that are known to show notifications get one, others the bell', () => {
  expect(notificationSequence('Which?', 'auto', { TERM: 'xterm-kitty' })).toBe(
    '\u001B]9;scorpiox-code: Which?\u001B\\\u0007',
  )
  expect(notificationSequence('Which?', 'auto', { TERM_PROGRAM: 'iTerm.app' })).toContain('\u001B]9;')
  expect(notificationSequence('Which?', 'auto', { TERM: 'xterm-256color' })).toBe('\u0007')
  expect(notificationSequence('Which?', 'always', { TERM: 'linux' })).toContain('\u001B]9;')
  expect(notificationSequence('Which?', 'never', { TERM: 'xterm-kitty' })).toBe('\u0007')
})

test('tmux passes it through', () => {
  expect(notificationSequence('Which?', 'always', { TMUX: '/tmp/tmux' })).toBe(
    '\u001BPtmux;\u001B\u001B]9;scorpiox-code: Which?\u001B\u001B\\\u001B\\\u0007',
  )
})

test('text of others cannot end it, nor begin another sequence or subcommand', () => {
  const sequence = notificationSequence('4;1\u0007\u001B]52;c;x\u009C\n\u202E', 'always', {})
  // oxlint-disable-next-line no-control-regex -- it is one sequence
  expect(sequence).toMatch(/^\u001B\]9;scorpiox-code: [^\p{Cc}\u202E]*\u001B\\\u0007$/u)
})
