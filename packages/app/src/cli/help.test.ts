import { expect, test } from 'vitest'

import { parseArguments } from '../arguments.js'
import { COMMAND_HELP } from './command-help.js'

test.each([...COMMAND_HELP])('the options of %s exist, and its usage and examples mention no others', (_, command) => {
  const named = (lines: readonly string[]): ReadonlySet<string> =>
    new Set(lines.flatMap((line) => line.match(/--[a-z][a-z-]*/g) ?? []))
  const explained = named(command.options.map(([term]) => term))
  for (const option of explained) expect(isOption(option)).toBe(true)
  expect([...named(command.usage)].filter((option) => !explained.has(option))).toEqual([])
  const elsewhere = new Set(['--env', '--cwd', '--help', '--version'])
  const inExamples = [...named(command.examples)].filter((option) => !elsewhere.has(option) && !explained.has(option))
  expect(inExamples).toEqual([])
})

/** Tries it with and without a value. */
function isOption(option: string): boolean {
  return [[option], [option, 'value']].some((argv) => {
    try {
      return parseArguments(argv).operands.length === 0
    } catch {
      return false
    }
  })
}
