// The supported clients and the paths of their configuration on each platform. Pure: platform, environment and directory
// listings are parameters.

import { posix, win32 } from 'node:path'

import type { JsonObject } from '@scorpiox/mcp/json/json'
import type { ConfigFormatName } from './config-format.js'
import { CODEX_APPROVAL, CONTINUE_BASH, type EntryChoice } from './entry-choices.js'

export interface ClientDefinition {
  /** The name on the command line. */
  readonly id: string
  readonly name: string
  readonly format: ConfigFormatName
  /** The member of the file that contains the servers: a map by name, in YAML a list. */
  readonly container: string
  /** Whether `command` is a list of the program and its arguments. */
  readonly hasCommandList: boolean
  /** Members of the entry besides `command` and `args`. */
  readonly extra: JsonObject
  /** An option of the entry that the user decides. */
  readonly choice?: EntryChoice
  /** Printed when the file does not exist yet. */
  readonly newFileNote?: string
  /** Whether it is connected only if it is named on the command line. */
  readonly onlyWhenNamed: boolean
  readonly locations: (machine: MachineInfo) => readonly ConfigLocation[]
}

export interface ConfigLocation {
  readonly file: string
  /** Files and directories; if any exists, the client is used on this machine. */
  readonly evidencePaths: readonly string[]
  /** Other files from which the client reads servers, and which may contain our entry already. */
  readonly alternatives?: readonly string[]
  /** A directory that other people may have filled, such as a cloned project: the file may not be a link out of it. */
  readonly inside?: string
}

export interface MachineInfo {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The names in a directory; empty if it does not exist. */
  readonly listDirectory: (directory: string) => readonly string[]
}

/** Cline aborts a call after 60 seconds by default, which is too short for a build or a question to a person. */
const CLINE_TIMEOUT_SECONDS = 3600

export const CLIENTS: readonly ClientDefinition[] = [
  jsonClient('claude-code', 'Claude Code', 'mcpServers', claudeCode),
  jsonClient('claude-desktop', 'Claude Desktop', 'mcpServers', claudeDesktop),
  jsonClient('cursor', 'Cursor', 'mcpServers', (machine) => [
    locationIn(machine, [machine.home, '.cursor'], 'mcp.json'),
  ]),
  vsCodeClient('vscode', 'VS Code', 'Code'),
  vsCodeClient('vscode-insiders', 'VS Code Insiders', 'Code - Insiders'),
  vsCodeClient('vscodium', 'VSCodium', 'VSCodium'),
  jsonClient('windsurf', 'Windsurf', 'mcpServers', (machine) => [
    locationIn(machine, [machine.home, '.codeium', 'windsurf'], 'mcp_config.json'),
  ]),
  jsonClient('devin', 'Devin', 'mcpServers', (machine) => [
    locationIn(machine, [...devinConfigDir(machine), 'devin'], 'config.json'),
  ]),
  { ...jsonClient('codex', 'Codex', 'mcp_servers', codex), format: 'toml', choice: CODEX_APPROVAL },
  jsonClient('gemini', 'Gemini CLI', 'mcpServers', gemini),
  {
    ...jsonClient('opencode', 'opencode', 'mcp', opencode),
    hasCommandList: true,
    extra: { type: 'local', enabled: true },
  },
  {
    ...jsonClient('copilot', 'Copilot CLI', 'mcpServers', copilot),
    extra: { type: 'local', tools: ['*'] },
  },
  jsonClient('qwen', 'Qwen Code', 'mcpServers', qwen),
  {
    ...jsonClient('cline', 'Cline CLI', 'mcpServers', cline),
    extra: { timeout: CLINE_TIMEOUT_SECONDS },
  },
  {
    ...jsonClient('continue', 'Continue CLI', 'mcpServers', continueCli),
    format: 'yaml',
    extra: { name: 'scorpiox' },
    choice: CONTINUE_BASH,
    newFileNote: 'Continue uses this file instead of its default configuration; add your models to it',
  },
  jsonClient('zed', 'Zed', 'context_servers', zed),
  {
    ...jsonClient('project', 'Claude Code in this project', 'mcpServers', (machine) => [
      { file: pathModule(machine).join(machine.cwd, '.mcp.json'), evidencePaths: [], inside: machine.cwd },
    ]),
    onlyWhenNamed: true,
  },
]

function pathModule({ platform }: Pick<MachineInfo, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix
}

function jsonClient(
  id: string,
  name: string,
  container: string,
  locations: ClientDefinition['locations'],
): ClientDefinition {
  return { id, name, format: 'jsonc', container, hasCommandList: false, extra: {}, onlyWhenNamed: false, locations }
}

function vsCodeClient(id: string, name: string, directory: string): ClientDefinition {
  const places = (machine: MachineInfo): readonly ConfigLocation[] => [
    locationIn(machine, [applicationConfigDir(machine), directory, 'User'], 'mcp.json'),
  ]
  return { ...jsonClient(id, name, 'servers', places), extra: { type: 'stdio' } }
}

function claudeCode(machine: MachineInfo): readonly ConfigLocation[] {
  const path = pathModule(machine)
  const configDir = absolutePath(machine, machine.env.CLAUDE_CONFIG_DIR)
  const file = path.join(configDir ?? machine.home, '.claude.json')
  return [{ file, evidencePaths: [file, configDir ?? path.join(machine.home, '.claude')] }]
}

/** On Windows, the version from the Microsoft Store uses a directory of its package. */
function claudeDesktop(machine: MachineInfo): readonly ConfigLocation[] {
  const path = pathModule(machine)
  const defaultLocation = locationIn(machine, [applicationConfigDir(machine), 'Claude'], 'claude_desktop_config.json')
  if (machine.platform !== 'win32') return [defaultLocation]
  const local = absolutePath(machine, machine.env.LOCALAPPDATA) ?? path.join(machine.home, 'AppData', 'Local')
  const claudeNames = (directory: string): readonly string[] =>
    machine.listDirectory(directory).filter((name) => /^claude(_|$)/i.test(name))
  const packages = path.join(local, 'Packages')
  const directories = [
    ...claudeNames(path.join(local, 'Claude-Data')).map((name) => [local, 'Claude-Data', name]),
    ...claudeNames(packages).map((name) => [packages, name, 'LocalCache', 'Roaming', 'Claude']),
  ]
  return [
    ...directories.map((directory) => locationIn(machine, directory, 'claude_desktop_config.json')),
    defaultLocation,
  ]
}

function codex(machine: MachineInfo): readonly ConfigLocation[] {
  const configDir = absolutePath(machine, machine.env.CODEX_HOME)
  return [locationIn(machine, configDir === undefined ? [machine.home, '.codex'] : [configDir], 'config.toml')]
}

function gemini(machine: MachineInfo): readonly ConfigLocation[] {
  const home = absolutePath(machine, machine.env.GEMINI_CLI_HOME) ?? machine.home
  return [locationIn(machine, [home, '.gemini'], 'settings.json')]
}

/** The same directory on every platform. Like opencode, this uses the first of the files that exists. */
function opencode(machine: MachineInfo): readonly ConfigLocation[] {
  const path = pathModule(machine)
  const configDir = absolutePath(machine, machine.env.XDG_CONFIG_HOME) ?? path.join(machine.home, '.config')
  const directory = path.join(configDir, 'opencode')
  const names = ['opencode.jsonc', 'opencode.json', 'config.json']
  const existing = machine.listDirectory(directory).filter((name) => names.includes(name))
  const chosen = names.find((name) => existing.includes(name)) ?? 'opencode.jsonc'
  const alternatives = existing.filter((name) => name !== chosen).map((name) => path.join(directory, name))
  return [{ ...locationIn(machine, [directory], chosen), alternatives }]
}

function copilot(machine: MachineInfo): readonly ConfigLocation[] {
  const configDir = absolutePath(machine, machine.env.COPILOT_HOME)
  return [locationIn(machine, configDir === undefined ? [machine.home, '.copilot'] : [configDir], 'mcp-config.json')]
}

function qwen(machine: MachineInfo): readonly ConfigLocation[] {
  const configDir = absolutePath(machine, machine.env.QWEN_HOME)
  return [locationIn(machine, configDir === undefined ? [machine.home, '.qwen'] : [configDir], 'settings.json')]
}

function cline(machine: MachineInfo): readonly ConfigLocation[] {
  const { home, env } = machine
  const path = pathModule(machine)
  const directory = absolutePath(machine, env.CLINE_DIR) ?? path.join(home, '.cline')
  const data = absolutePath(machine, env.CLINE_DATA_DIR) ?? path.join(directory, 'data')
  const file =
    absolutePath(machine, env.CLINE_MCP_SETTINGS_PATH) ?? path.join(data, 'settings', 'cline_mcp_settings.json')
  return [{ file, evidencePaths: [file, directory, data] }]
}

/** Without this file Continue uses a default configuration, which a new file would replace. So only the file is evidence. */
function continueCli(machine: MachineInfo): readonly ConfigLocation[] {
  const path = pathModule(machine)
  const directory = absolutePath(machine, machine.env.CONTINUE_GLOBAL_DIR) ?? path.join(machine.home, '.continue')
  const file = path.join(directory, 'config.yaml')
  return [{ file, evidencePaths: [file] }]
}

/** On macOS Zed uses ~/.config and ignores XDG_CONFIG_HOME. */
function zed(machine: MachineInfo): readonly ConfigLocation[] {
  const { platform, home } = machine
  if (platform === 'win32') return [locationIn(machine, [applicationConfigDir(machine), 'Zed'], 'settings.json')]
  const configDir = platform === 'darwin' ? [home, '.config'] : [applicationConfigDir(machine)]
  return [locationIn(machine, [...configDir, 'zed'], 'settings.json')]
}

function devinConfigDir(machine: MachineInfo): readonly string[] {
  return machine.platform === 'win32' ? [applicationConfigDir(machine)] : [machine.home, '.config']
}

/** The configuration directory of desktop applications. */
function applicationConfigDir(machine: MachineInfo): string {
  const { platform, home, env } = machine
  const path = pathModule(machine)
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support')
  if (platform === 'win32') return absolutePath(machine, env.APPDATA) ?? path.join(home, 'AppData', 'Roaming')
  return absolutePath(machine, env.XDG_CONFIG_HOME) ?? path.join(home, '.config')
}

function locationIn(machine: MachineInfo, directory: readonly string[], name: string): ConfigLocation {
  const path = pathModule(machine)
  return { file: path.join(...directory, name), evidencePaths: [path.join(...directory)] }
}

function absolutePath(machine: MachineInfo, path: string | undefined): string | undefined {
  return path !== undefined && pathModule(machine).isAbsolute(path) ? path : undefined
}
