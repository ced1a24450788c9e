import { expect, test } from 'vitest'

import { buildInstructions } from './instructions.js'

const ALL = { hasSandbox: true, hasTerminals: true }

test('plan mode promises a sandbox only where there is one', () => {
  expect(buildInstructions(['PlanMode'], ALL)).toContain('makes commands read-only')
  expect(buildInstructions(['PlanMode'], { ...ALL, hasSandbox: false })).toMatch(
    /commands are refused, .+ no sandbox on Windows; PlanMode exit/,
  )
})

test('terminals are offered only where a program can get one', () => {
  const tools = ['BackgroundBash', 'ReadBgOutput']
  expect(buildInstructions(tools, ALL)).toContain('use BackgroundBash with tty')
  const without = buildInstructions(tools, { ...ALL, hasTerminals: false })
  expect(without).toMatch(/no terminals on this system: .+ a pipe as stdin/)
  expect(without).not.toContain('tty')
})

test('everything else is the same on every system', () => {
  const tools = ['Bash', 'TaskManager', 'AskUserQuestion']
  expect(buildInstructions(tools, { hasSandbox: false, hasTerminals: false })).toBe(buildInstructions(tools, ALL))
})
