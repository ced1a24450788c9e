// The clients that can be connected, and where each keeps its configuration on each system. Pure: the system, the
// environment and what lies in a folder are given.

import { posix, win32 } from 'node:path'

import type { JsonObject } from '../../lib/json.js'
import { CODEX_APPROVAL, CONTINUE_BASH, type Choice } from './choice.js'
import type { FormatName } from './format.js'

export interface Client {
  /** What a person types. */
  readonly id: string
  readonly name: string
  readonly format: FormatName
  /** The member of the file that holds the servers: by their name, in YAML as a list. */
  readonly container: string
  /** Whether `command` is a list of the program and its arguments. */
  readonly hasCommandList: boolean
  /** What an entry has beside `command` and `args`. */
  readonly extra: JsonObject
  /** What the person decides about the entry. */
  readonly choice?: Choice
  /** Printed when the file does not exist yet. */
  readonly newFileNote?: string
  /** Whether it is connected only where it is named. */
  readonly onRequest: boolean
  readonly places: (machine: Machine) => readonly Place[]
}

export interface Place {
  readonly file: string
  /** Files and folders of which any says that the client is used here. */
  readonly signs: readonly string[]
  /** Other files from which the client reads servers too: our entry may be there already. */
  readonly alternatives?: readonly string[]
}

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The names in a folder; none where there is no such folder. */
  readonly list: (folder: string) => readonly string[]
}

/** Cline aborts a call after 60 seconds by default, which is too short for a build or a question to a person. */
const CLINE_TIMEOUT_SECONDS = 3600

export const CLIENTS: readonly Client[] = [
  json('claude-code', 'Claude Code', 'mcpServers', claudeCode),
  json('claude-desktop', 'Claude Desktop', 'mcpServers', claudeDesktop),
  json('cursor', 'Cursor', 'mcpServers', (machine) => [inFolder(machine, [machine.home, '.cursor'], 'mcp.json')]),
  vsCode('vscode', 'VS Code', 'Code'),
  vsCode('vscode-insiders', 'VS Code Insiders', 'Code - Insiders'),
  vsCode('vscodium', 'VSCodium', 'VSCodium'),
  json('windsurf', 'Windsurf', 'mcpServers', (machine) => [
    inFolder(machine, [machine.home, '.codeium', 'windsurf'], 'mcp_config.json'),
  ]),
  json('devin', 'Devin', 'mcpServers', (machine) => [
    inFolder(machine, [...devinFolder(machine), 'devin'], 'config.json'),
  ]),
  { ...json('codex', 'Codex', 'mcp_servers', codex), format: 'toml', choice: CODEX_APPROVAL },
  json('gemini', 'Gemini CLI', 'mcpServers', gemini),
  {
    ...json('opencode', 'opencode', 'mcp', opencode),
    hasCommandList: true,
    extra: { type: 'local', enabled: true },
  },
  {
    ...json('copilot', 'Copilot CLI', 'mcpServers', copilot),
    extra: { type: 'local', tools: ['*'] },
  },
  json('qwen', 'Qwen Code', 'mcpServers', qwen),
  {
    ...json('cline', 'Cline CLI', 'mcpServers', cline),
    extra: { timeout: CLINE_TIMEOUT_SECONDS },
  },
  {
    ...json('continue', 'Continue CLI', 'mcpServers', continueCli),
    format: 'yaml',
    extra: { name: 'scorpiox' },
    choice: CONTINUE_BASH,
    newFileNote: 'Continue uses this file instead of its default configuration; add your models to it',
  },
  json('zed', 'Zed', 'context_servers', zed),
  {
    ...json('project', 'Claude Code in this project', 'mcpServers', (machine) => [
      { file: pathsOf(machine).join(machine.cwd, '.mcp.json'), signs: [] },
    ]),
    onRequest: true,
  },
]

function pathsOf({ platform }: Pick<Machine, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix
}

function json(id: string, name: string, container: string, places: Client['places']): Client {
  return { id, name, format: 'jsonc', container, hasCommandList: false, extra: {}, onRequest: false, places }
}

function vsCode(id: string, name: string, folder: string): Client {
  const places = (machine: Machine): readonly Place[] => [
    inFolder(machine, [applications(machine), folder, 'User'], 'mcp.json'),
  ]
  return { ...json(id, name, 'servers', places), extra: { type: 'stdio' } }
}

function claudeCode(machine: Machine): readonly Place[] {
  const path = pathsOf(machine)
  const moved = absolute(machine, machine.env.CLAUDE_CONFIG_DIR)
  const file = path.join(moved ?? machine.home, '.claude.json')
  return [{ file, signs: [file, moved ?? path.join(machine.home, '.claude')] }]
}

/** On Windows, those who have it from the store have it in a folder of the package. */
function claudeDesktop(machine: Machine): readonly Place[] {
  const path = pathsOf(machine)
  const own = inFolder(machine, [applications(machine), 'Claude'], 'claude_desktop_config.json')
  if (machine.platform !== 'win32') return [own]
  const local = absolute(machine, machine.env.LOCALAPPDATA) ?? path.join(machine.home, 'AppData', 'Local')
  const named = (folder: string): readonly string[] => machine.list(folder).filter((name) => /^claude(_|$)/i.test(name))
  const packages = path.join(local, 'Packages')
  const folders = [
    ...named(path.join(local, 'Claude-Data')).map((name) => [local, 'Claude-Data', name]),
    ...named(packages).map((name) => [packages, name, 'LocalCache', 'Roaming', 'Claude']),
  ]
  return [...folders.map((folder) => inFolder(machine, folder, 'claude_desktop_config.json')), own]
}

function codex(machine: Machine): readonly Place[] {
  const moved = absolute(machine, machine.env.CODEX_HOME)
  return [inFolder(machine, moved === undefined ? [machine.home, '.codex'] : [moved], 'config.toml')]
}

function gemini(machine: Machine): readonly Place[] {
  const home = absolute(machine, machine.env.GEMINI_CLI_HOME) ?? machine.home
  return [inFolder(machine, [home, '.gemini'], 'settings.json')]
}

/** The same folder on every system; of the files in it, opencode itself writes to the first that exists. */
function opencode(machine: Machine): readonly Place[] {
  const path = pathsOf(machine)
  const configured = absolute(machine, machine.env.XDG_CONFIG_HOME) ?? path.join(machine.home, '.config')
  const folder = path.join(configured, 'opencode')
  const names = ['opencode.jsonc', 'opencode.json', 'config.json']
  const present = machine.list(folder).filter((name) => names.includes(name))
  const chosen = names.find((name) => present.includes(name)) ?? 'opencode.jsonc'
  const alternatives = present.filter((name) => name !== chosen).map((name) => path.join(folder, name))
  return [{ ...inFolder(machine, [folder], chosen), alternatives }]
}

function copilot(machine: Machine): readonly Place[] {
  const moved = absolute(machine, machine.env.COPILOT_HOME)
  return [inFolder(machine, moved === undefined ? [machine.home, '.copilot'] : [moved], 'mcp-config.json')]
}

function qwen(machine: Machine): readonly Place[] {
  const moved = absolute(machine, machine.env.QWEN_HOME)
  return [inFolder(machine, moved === undefined ? [machine.home, '.qwen'] : [moved], 'settings.json')]
}

function cline(machine: Machine): readonly Place[] {
  const { home, env } = machine
  const path = pathsOf(machine)
  const folder = absolute(machine, env.CLINE_DIR) ?? path.join(home, '.cline')
  const data = absolute(machine, env.CLINE_DATA_DIR) ?? path.join(folder, 'data')
  const file = absolute(machine, env.CLINE_MCP_SETTINGS_PATH) ?? path.join(data, 'settings', 'cline_mcp_settings.json')
  return [{ file, signs: [file, folder, data] }]
}

/** Without this file Continue uses a default configuration, which the file would replace: it has to exist, or be asked for. */
function continueCli(machine: Machine): readonly Place[] {
  const path = pathsOf(machine)
  const folder = absolute(machine, machine.env.CONTINUE_GLOBAL_DIR) ?? path.join(machine.home, '.continue')
  const file = path.join(folder, 'config.yaml')
  return [{ file, signs: [file] }]
}

/** On macOS it is where Linux has it, whatever the environment says. */
function zed(machine: Machine): readonly Place[] {
  const { platform, home } = machine
  if (platform === 'win32') return [inFolder(machine, [applications(machine), 'Zed'], 'settings.json')]
  const configured = platform === 'darwin' ? [home, '.config'] : [applications(machine)]
  return [inFolder(machine, [...configured, 'zed'], 'settings.json')]
}

function devinFolder(machine: Machine): readonly string[] {
  return machine.platform === 'win32' ? [applications(machine)] : [machine.home, '.config']
}

/** Where programs with a window keep what is theirs. */
function applications(machine: Machine): string {
  const { platform, home, env } = machine
  const path = pathsOf(machine)
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support')
  if (platform === 'win32') return absolute(machine, env.APPDATA) ?? path.join(home, 'AppData', 'Roaming')
  return absolute(machine, env.XDG_CONFIG_HOME) ?? path.join(home, '.config')
}

function inFolder(machine: Machine, folder: readonly string[], name: string): Place {
  const path = pathsOf(machine)
  return { file: path.join(...folder, name), signs: [path.join(...folder)] }
}

function absolute(machine: Machine, path: string | undefined): string | undefined {
  return path !== undefined && pathsOf(machine).isAbsolute(path) ? path : undefined
}
