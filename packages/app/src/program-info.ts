// How this program was started, the runtime it runs on, and the text to paste into client configurations: for stdio
// with the absolute path of this program, for HTTP with the address and token. Used by install, doctor and the greeting
// of `serve`. Reads process data and PATH; prints nothing.

import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { findExecutableEntry } from '@scorpiox/server/process/program-files'
import { formatCommandLine, quoteShellWordIfNeeded } from '@scorpiox/server/process/shell-quote'

export function currentLaunch(): LaunchCommand {
  const script = process.argv[1]
  const isExecutable = script === undefined || findExecutableEntry() !== undefined
  return { command: process.execPath, args: isExecutable ? [] : [script] }
}

/** The program that runs JavaScript files: this one, unless it is an executable that runs nothing but itself. */
export function getNodeProgram(): string {
  return findExecutableEntry() === undefined ? process.execPath : 'node'
}

export function describeRuntime(): string {
  const bun = bunVersion()
  const name = bun === undefined ? `Node.js ${process.version}` : `Bun ${bun} (Node.js ${process.version})`
  return findExecutableEntry() === undefined ? name : `${name}, all in one executable`
}

/** The command that starts this program again: its name if that is on PATH, otherwise the full command line. */
export function commandAsTyped(
  path: string | undefined,
  { command, args }: LaunchCommand = currentLaunch(),
  platform: NodeJS.Platform = process.platform,
): string {
  const program = args[0] ?? command
  if (/[\\/]_npx[\\/]/.test(program)) return 'npx scorpiox-code'
  const directories = path?.split(delimiter).filter(Boolean) ?? []
  const isCommandIn = platform === 'win32' ? isWindowsCommandIn : isLinkIn
  const isOnPath = directories.some((directory) => isCommandIn(directory, program))
  return isOnPath ? 'scorpiox-code' : formatCommandLine([command, ...args], platform)
}

function isLinkIn(directory: string, program: string): boolean {
  return isSameFile(join(directory, 'scorpiox-code'), program)
}

/** The executable, or the batch file that npm makes beside its folder of packages. */
function isWindowsCommandIn(directory: string, program: string): boolean {
  if (isSameFile(join(directory, 'scorpiox-code.exe'), program)) return true
  const script = join(directory, 'node_modules', 'scorpiox-code', 'dist', basename(program))
  return existsSync(join(directory, 'scorpiox-code.cmd')) && isSameFile(script, program)
}

function isSameFile(first: string, second: string): boolean {
  try {
    return realpathSync(first) === realpathSync(second)
  } catch {
    return false
  }
}

export interface LaunchCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface HttpConnection {
  readonly url: string
  /** Undefined if the server does not require one. */
  readonly token: string | undefined
}

export function formatStdioGuide(launch: LaunchCommand): string {
  const entry = { command: launch.command, args: launch.args }
  const words = [launch.command, ...launch.args]
  /** After another program. */
  const asArguments = words.map((word) => quoteShellWordIfNeeded(word)).join(' ')
  const servers = JSON.stringify({ mcpServers: { scorpiox: entry } })
  return formatSections([
    ['All clients on this machine', formatCommandLine([...words, 'install'])],
    ['Claude Code', `claude mcp add scorpiox -- ${asArguments}`],
    ['Claude Desktop (claude_desktop_config.json) and Cursor (~/.cursor/mcp.json)', servers],
    ['VS Code (.vscode/mcp.json)', JSON.stringify({ servers: { scorpiox: { type: 'stdio', ...entry } } })],
    [
      'Codex (~/.codex/config.toml)',
      `[mcp_servers.scorpiox]\ncommand = ${JSON.stringify(launch.command)}\nargs = ${JSON.stringify(launch.args)}\n${CODEX_APPROVAL}`,
    ],
    ['Gemini CLI', `gemini mcp add --scope user scorpiox ${asArguments}`],
    [
      'opencode (~/.config/opencode/opencode.json)',
      JSON.stringify({ mcp: { scorpiox: { type: 'local', command: [launch.command, ...launch.args] } } }),
    ],
  ])
}

export function formatHttpGuide({ url, token }: HttpConnection): string {
  const authorization = token === undefined ? undefined : `Bearer ${token}`
  const headers = authorization === undefined ? {} : { headers: { Authorization: authorization } }
  const flag = authorization === undefined ? '' : ` --header "Authorization: ${authorization}"`
  const toml =
    authorization === undefined ? '' : `\nhttp_headers = { Authorization = ${JSON.stringify(authorization)} }`
  return formatSections([
    ['Claude Code', `claude mcp add --transport http scorpiox ${url}${flag}`],
    ['Cursor (~/.cursor/mcp.json)', JSON.stringify({ mcpServers: { scorpiox: { url, ...headers } } })],
    ['VS Code (.vscode/mcp.json)', JSON.stringify({ servers: { scorpiox: { type: 'http', url, ...headers } } })],
    ['Codex (~/.codex/config.toml)', `[mcp_servers.scorpiox]\nurl = ${JSON.stringify(url)}${toml}\n${CODEX_APPROVAL}`],
    [
      'Gemini CLI; for Qwen Code, type qwen instead of gemini',
      `gemini mcp add --scope user --transport http${flag} scorpiox ${url}`,
    ],
    [
      'opencode (~/.config/opencode/opencode.json)',
      JSON.stringify({ mcp: { scorpiox: { type: 'remote', url, ...headers } } }),
    ],
    [
      'Copilot CLI (~/.copilot/mcp-config.json)',
      JSON.stringify({ mcpServers: { scorpiox: { type: 'http', url, ...headers, tools: ['*'] } } }),
    ],
    [
      'Cline CLI (~/.cline/data/settings/cline_mcp_settings.json)',
      JSON.stringify({ mcpServers: { scorpiox: { type: 'streamableHttp', url, ...headers } } }),
    ],
    [
      'Continue CLI (~/.continue/config.yaml)',
      `mcpServers: ${JSON.stringify([
        { name: 'scorpiox', type: 'streamable-http', url, ...(token !== undefined && { requestOptions: headers }) },
      ])}`,
    ],
  ])
}

/** Commented out: without it, Codex asks before each call, and refuses Bash in modes in which it cannot ask. */
const CODEX_APPROVAL = '# default_tools_approval_mode = "approve"  # Codex then calls the tools without asking'

function formatSections(sections: readonly (readonly [string, string])[]): string {
  return sections.map(([title, text]) => `${title}\n${text.replaceAll(/^/gm, '  ')}\n`).join('')
}
