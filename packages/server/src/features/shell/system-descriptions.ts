// What the descriptions of tools say on systems that lack something. On Windows there is no sandbox, so plan mode refuses
// commands, and PowerShell runs them where there is no Git Bash. Where no terminal can be made, no parameter asks for one;
// on other systems than Linux not all children of a job can be found.
// Loaded by main.ts of the app, except on Linux. On Windows, may run a bash.exe once, to see what it is.

import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { Config } from '../../config/load-config.js'
import { canMakeTerminals } from '../../process/terminal-support.js'
import { findTrustedShell } from '../../process/trusted-program.js'
import { backgroundBash } from './background-bash-tool.js'
import { bash } from './bash-tool.js'
import { nameKilledChildren } from './format-command-result.js'
import { killBgTask } from './kill-bg-task-tool.js'
import { readBgOutput } from './read-bg-output-tool.js'

const COMMAND_TOOLS: ReadonlySet<string> = new Set([bash.name, backgroundBash.name])

export function describeForSystem(config: Config, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const described = nameFoundChildren(canMakeTerminals() ? tools : omitTerminals(tools))
  if (process.platform !== 'win32') return described
  const onWindows = describeWindows(described)
  try {
    return findTrustedShell(config, config.childEnv).kind === 'powershell' ? namePowershell(onWindows) : onWindows
  } catch (error) {
    // The first command says what is missing.
    if (error instanceof Failure) return onWindows
    throw error
  }
}

/** Without the parameters that need a terminal, and with the keys that a pipe takes. */
export function omitTerminals(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.map((tool) => {
    if (tool.name === backgroundBash.name)
      return changeParameters(tool, { tty: undefined, cols: undefined, rows: undefined })
    if (tool.name !== readBgOutput.name) return tool
    return changeParameters(tool, { screen: undefined, keys: 'After input: enter; ctrl+d closes stdin' })
  })
}

/** `changes`: the new description of each parameter; undefined removes it. */
function changeParameters(tool: ToolDefinition, changes: Readonly<Record<string, string | undefined>>): ToolDefinition {
  const { input } = tool
  if (!isJsonObject(input) || !isJsonObject(input.properties)) return tool
  const properties = Object.entries(input.properties).flatMap(([name, schema]) => {
    if (!(name in changes)) return [[name, schema]]
    const description = changes[name]
    return description === undefined || !isJsonObject(schema) ? [] : [[name, { ...schema, description }]]
  })
  return { ...tool, input: { ...input, properties: Object.fromEntries(properties) } }
}

/** Where not all processes can be found that a job has started. */
export function nameFoundChildren(
  tools: readonly ToolDefinition[],
  platform: NodeJS.Platform = process.platform,
): readonly ToolDefinition[] {
  return tools.map((tool) => {
    if (tool.name !== killBgTask.name) return tool
    const { description = '' } = tool
    return { ...tool, description: description.replace('its child processes', nameKilledChildren(platform)) }
  })
}

export function describeWindows(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.map((tool) => {
    const { description = '' } = tool
    return { ...tool, description: description.replace('commands are read-only until', 'commands are refused until') }
  })
}

export function namePowershell(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.map((tool) => (COMMAND_TOOLS.has(tool.name) ? toPowershell(tool) : tool))
}

function toPowershell(tool: ToolDefinition): ToolDefinition {
  const input = tryParseJson(nameIn(JSON.stringify(tool.input)))
  return { ...tool, description: nameIn(tool.description ?? ''), ...(isJsonObject(input) && { input }) }
}

function nameIn(text: string): string {
  return text.replaceAll('bash command', 'PowerShell command')
}
