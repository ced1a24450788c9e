import { expect, test } from 'vitest'

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { TOOLS } from '../../tool-list.js'
import { describeWindows, nameFoundChildren, namePowershell, omitTerminals } from './system-descriptions.js'

test('where PowerShell runs, the tools that run commands say so, and nothing else changes', () => {
  const named = namePowershell(TOOLS)
  expect(JSON.stringify(TOOLS).match(/bash command/g)).toHaveLength(4)
  expect(JSON.stringify(named)).toBe(JSON.stringify(TOOLS).replaceAll('bash command', 'PowerShell command'))
  const [bash] = named
  expect(bash?.description).toMatch(/^Execute a PowerShell command in the project directory/)
})

function descriptionOf(name: string, tools: typeof TOOLS): string | undefined {
  return tools.find((tool) => tool.name === name)?.description
}

test('plan mode does not promise a sandbox on Windows', () => {
  expect(descriptionOf('PlanMode', TOOLS)).toContain('enter: commands are read-only until')
  expect(descriptionOf('PlanMode', describeWindows(TOOLS))).toContain('enter: commands are refused until')
  expect(describeWindows(TOOLS).map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
})

test.each(['win32', 'darwin'] as const)('a kill promises no more than it does on %s', (platform) => {
  expect(descriptionOf('KillBgTask', TOOLS)).toContain('Also kills its child processes.')
  const named = nameFoundChildren(TOOLS, platform)
  expect(descriptionOf('KillBgTask', named)).toContain('Also kills those of its child processes that could be found.')
  expect(nameFoundChildren(TOOLS, 'linux')).toEqual(TOOLS)
})

test('without terminals, no parameter asks for one, and nothing else changes', () => {
  const changed = omitTerminals(TOOLS)
  const parametersOf = (tool: string): Readonly<Record<string, unknown>> => {
    const input: unknown = changed.find(({ name }) => name === tool)?.input
    return isJsonObject(input) && isJsonObject(input.properties) ? input.properties : {}
  }
  expect(Object.keys(parametersOf('BackgroundBash'))).toEqual(['command'])
  expect(Object.keys(parametersOf('ReadBgOutput')).slice(0, 4)).toEqual(['task_id', 'input', 'keys', 'wait_for_end'])
  expect(parametersOf('ReadBgOutput').keys).toMatchObject({ description: 'After input: enter; ctrl+d closes stdin' })
  const others = (tools: typeof TOOLS): string =>
    JSON.stringify(tools.filter(({ name }) => !['BackgroundBash', 'ReadBgOutput'].includes(name)))
  expect(others(changed)).toBe(others(TOOLS))
})
