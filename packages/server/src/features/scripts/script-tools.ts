// Opens the script index and makes a tool of each script that described itself.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { defineToolWith, type ToolDefinition, type ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { stringifyWellFormed } from '@scorpiox/mcp/json/json'
import type { Log } from '@scorpiox/mcp/log'
import { getOsUser } from '@scorpiox/mcp/os-user'
import { quoteShellWord } from '../../process/shell-quote.js'
import { resultData } from '../../result-data.js'
import { appendNotes } from '../../text/format.js'
import {
  type CommandResult,
  formatCommandResult,
  runCommandForCall,
  type ShellService,
  type TimeLimit,
} from '../shell/index.js'
import type { ScriptTool } from './assign-tool-names.js'
import { describeScript } from './describe-script.js'
import { findJsonObject } from './json-in-output.js'
import { createScriptIndex, type ScriptIndex } from './script-index.js'

export interface ScriptTools {
  readonly index: ScriptIndex
  tools(): readonly ToolDefinition[]
}

export function openScriptTools({ log, ...deps }: ScriptSources & { readonly log: Log }): ScriptTools {
  const index = openScriptIndex({ ...deps, warn: (message) => log.warn(message) })
  return { index, tools: () => index.scripts.map(toScriptToolDefinition) }
}

// A script as a tool: arguments are passed as JSON on stdin, its output is the result, and a non-zero exit code is an
// error. It runs like a Bash command.

interface ScriptToolResult {
  readonly text: ToolOutput
  readonly exitCode: number | null
  /** Its output as JSON, if the script declares an output schema and the output matches it. */
  readonly output: unknown
}

export function toScriptToolDefinition(script: ScriptTool): ToolDefinition {
  const { name, title = name, description, hints, input, path, timeoutMs } = script
  return defineToolWith<{ shell: ShellService }>()({
    name,
    title,
    description,
    hints,
    services: ['shell'],
    taskSupport: 'sometimes',
    input,
    async run(args, call, { shell }): Promise<ScriptToolResult> {
      const limit: TimeLimit = timeoutMs === undefined ? shell.defaultLimit : { ms: timeoutMs, killAtLimit: true }
      // The first line is shown in the list of background tasks.
      const command = `# script tool ${name}\nexec ${quoteShellWord(path)}`
      const stdin = `${stringifyWellFormed(isArguments(args) ? args : {})}\n`
      return toScriptToolResult(
        script,
        await runCommandForCall(shell, { command, limit, input: stdin, isData: script.output !== undefined }, call),
        limit,
      )
    },
    format: ({ text }) => text,
    meta: resultData('exitCode', 'output'),
  })
}

function isArguments(args: unknown): args is object {
  return typeof args === 'object' && args !== null
}

function toScriptToolResult({ output, file }: ScriptTool, result: CommandResult, limit: TimeLimit): ScriptToolResult {
  const timeoutHint = `Set a longer "timeout" in the output of ${file} --schema.`
  const text = formatCommandResult(result, limit, { timeoutHint })
  const { exitCode } = result
  if (!output) return { text, exitCode, output: undefined }
  // Without the declared output it is an error, also if the script continues in the background.
  if (result.ending !== 'exit' || exitCode !== 0) return { text: markAsError(text), exitCode, output: undefined }
  const data = result.truncated ? undefined : findJsonObject(result.text)
  const problems = data && output.check(data)
  if (data && !problems) return { text, exitCode, output: data }
  const why = problems ? problems.map(({ message }) => message).join('; ') : describeMissingData(result)
  const note = `The output does not match the output schema of ${file}: ${why}.`
  return { text: { content: appendNotes(result.text, [note]), isError: true }, exitCode, output: undefined }
}

function markAsError(text: ToolOutput): ToolOutput {
  if (typeof text === 'string' || !('isError' in text)) return { content: text, isError: true }
  return { ...text, isError: true }
}

function describeMissingData({ truncated }: CommandResult): string {
  return truncated ? 'it is longer than BASH_MAX_OUTPUT' : 'it is not a JSON object'
}

// Opens the script index. `--schema` is run as the OS user that owns the script directory.

export interface ScriptSources {
  readonly directory: string
  readonly shell: () => Promise<ShellService>
  readonly changeEvents: ChangeEvents
  /** Names of the other tools. */
  readonly reservedNames: readonly string[]
}

export interface OpenScriptIndexDeps extends ScriptSources {
  readonly warn: (message: string) => void
}

export function openScriptIndex({
  directory,
  shell,
  changeEvents,
  warn,
  reservedNames,
}: OpenScriptIndexDeps): ScriptIndex {
  const caller = { user: getOsUser(), session: 'scripts' }
  return createScriptIndex({
    directory,
    reservedNames: new Set(reservedNames.map((name) => name.toLowerCase())),
    async describe(path) {
      if (process.platform === 'win32') throw new Failure('script tools require bash and are not supported on Windows.')
      return describeScript(await shell(), path, caller)
    },
    changeEvents,
    warn,
  })
}
