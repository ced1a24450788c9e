// The clients that can be connected, and where each keeps its configuration on each system. Pure: the system, the
// environment and what lies in a folder are given.

import { posix, win32 } from 'node:path'

export interface Client {
  /** What a person types. */
  readonly id: string
  readonly name: string
  readonly format: 'jsonc' | 'toml'
  /** The member of the file that holds the servers by their name. */
  readonly container: string
  /** What an entry has beside `command` and `args`. */
  readonly extra: Readonly<Record<string, string>>
  /** Whether it is connected only where it is named. */
  readonly onRequest: boolean
  readonly places: (machine: Machine) => readonly Place[]
}

export interface Place {
  readonly file: string
  /** Files and folders of which any says that the client is used here. */
  readonly signs: readonly string[]
}

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The names in a folder; none where there is no such folder. */
  readonly list: (folder: string) => readonly string[]
}

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
  { ...json('codex', 'Codex', 'mcp_servers', codex), format: 'toml' },
  json('gemini', 'Gemini CLI', 'mcpServers', gemini),
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
  return { id, name, format: 'jsonc', container, extra: {}, onRequest: false, places }
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
