import { expect, test } from 'vitest'

import { describePlanEffect } from './plan-effect.js'

test('where a sandbox exists, commands can read; on Windows they are refused', () => {
  const linux = describePlanEffect('linux')
  expect(linux.inFolder('.scorpiox/sessions/a/')).toBe('Commands can only read, except in .scorpiox/sessions/a/')
  const windows = describePlanEffect('win32')
  const sentences = [windows.state, windows.atStart, windows.inFolder('.scorpiox/'), windows.regained].join(' ')
  expect(sentences).not.toMatch(/\b(read|write)\b/)
  expect(sentences).toContain('refused, because there is no sandbox on Windows')
})
