// Makes a tool of each script that described itself (openScriptTools, called by services.ts of the app), and opens the
// script index (openScriptIndex, also used by `doctor`). A script tool runs its script as a command of the shell service:
// starts processes.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { defineToolWith, type ToolDefinition, type ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { type JsonObject, stringifyWellFormed } from '@scorpiox/mcp/json/json'
import type { Log } from '@scorpiox/mcp/log'
import { getOsUser } from '@scorpiox/mcp/os'
import { quoteShellWord } from '../../process/shell-quote.js'
import { appendNotes } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { type CommandResult, formatCommandResult, type ShellService, type TimeLimit } from '../shell/index.js'
import type { ScriptTool } from './assign-tool-names.js'
import { describeScript, findJsonObject } from './describe-script.js'
import { openScriptDescriptionCache, type ScriptDescriptionCache } from './script-description-cache.js'
import { createScriptIndex, type ScriptIndex } from './script-index.js'

export interface ScriptTools {
  readonly index: ScriptIndex
  tools(): readonly ToolDefinition[]
}

export function openScriptTools({
  log,
  stateDir,
  ...deps
}: ScriptSources & { readonly log: Log; readonly stateDir: string | undefined }): ScriptTools {
  const cache = stateDir === undefined ? undefined : openScriptDescriptionCache(stateDir, deps.directory)
  const index = openScriptIndex({ ...deps, cache, warn: (message) => log.warn(message) })
  return { index, tools: () => index.scripts.map(toScriptToolDefinition) }
}

interface ScriptToolResult {
  readonly result: CommandResult
  readonly limit: TimeLimit
  /** Its output as JSON, if the script declares an output schema and the output matches it. */
  readonly output?: JsonObject
  /** Why the output does not match the declared output schema; undefined if it does, or none is declared. */
  readonly outputProblem?: string
}

/**
 * A script as a tool: arguments are passed as JSON on stdin, its output is the result, and a non-zero exit code is an
 * error. It runs like a Bash command.
 */
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
      // The first line is shown in the list of jobs.
      const command = `# script tool ${name}\nexec ${quoteShellWord(path)}`
      const stdin = `${stringifyWellFormed(isArguments(args) ? args : {})}\n`
      const isData = script.output !== undefined
      const result = await shell.run(command, { call, limit, input: stdin, isData })
      return { result, limit, ...readDeclaredOutput(script, result) }
    },
    format: (result) => formatScriptResult(script, result),
    meta: ({ result: { exitCode }, output }) => toResultMeta({ exitCode, output }),
  })
}

function isArguments(args: unknown): args is object {
  return typeof args === 'object' && args !== null
}

function readDeclaredOutput(
  { output }: ScriptTool,
  result: CommandResult,
): Pick<ScriptToolResult, 'output' | 'outputProblem'> {
  if (!output || result.ending !== 'exit' || result.exitCode !== 0) return {}
  if (result.truncated) return { outputProblem: 'it is longer than BASH_MAX_OUTPUT' }
  const data = findJsonObject(result.text)
  if (!data) return { outputProblem: 'it is not a JSON object' }
  const problems = output.check(data)
  return problems ? { outputProblem: problems.map(({ message }) => message).join('; ') } : { output: data }
}

function formatScriptResult(
  script: ScriptTool,
  { result, limit, output, outputProblem }: ScriptToolResult,
): ToolOutput {
  const { file } = script
  if (outputProblem !== undefined) {
    const note = `The output does not match the output schema of ${file}: ${outputProblem}.`
    return { content: appendNotes(result.text, [note]), isError: true }
  }
  const timeoutHint = `Set a longer "timeout" in the output of ${file} --schema.`
  const text = formatCommandResult(result, limit, { timeoutHint })
  // Without the declared output it is an error, also if the script continues in the background.
  return script.output && !output ? markAsError(text) : text
}

function markAsError(text: ToolOutput): ToolOutput {
  if (typeof text === 'string' || !('isError' in text)) return { content: text, isError: true }
  return { ...text, isError: true }
}

export interface ScriptSources {
  readonly directory: string
  readonly shell: () => Promise<ShellService>
  readonly changeEvents: ChangeEvents
  /** Names of the other tools. */
  readonly reservedNames: readonly string[]
}

export interface OpenScriptIndexDeps extends ScriptSources {
  /** Undefined: every script is asked. */
  readonly cache?: ScriptDescriptionCache | undefined
  readonly warn: (message: string) => void
}

/** Opens the script index. `--schema` is run with the OS user of this server as the caller. */
export function openScriptIndex({
  directory,
  shell,
  cache,
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
    cache,
    changeEvents,
    warn,
  })
}
