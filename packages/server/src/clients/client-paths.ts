// The supported MCP clients: the paths of their configuration on each platform, what else they keep secret, and what
// they obey in a project. `install` writes to the first, the sandbox hides the first two and protects the third. Pure:
// platform, environment and directory listings are parameters.

import { posix, win32 } from 'node:path'

export interface ClientPaths {
  /** The name on the command line. */
  readonly id: string
  /** Where the client reads its servers from. */
  readonly locations: (machine: MachineInfo) => readonly ConfigLocation[]
  /** Files and folders with credentials and conversations besides the locations. `~/` is the home directory. */
  readonly secrets?: readonly string[]
  /** The same, in the configuration directory of desktop applications. */
  readonly applicationSecrets?: readonly string[]
  /** Names in a project that make the client start programs; each as a whole. */
  readonly projectNames?: readonly string[]
  /** The same for files that are protected only if they exist: the client does not start if a folder takes their place. */
  readonly projectFiles?: readonly string[]
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

/** In the order in which `install` lists them. */
export const CLIENT_PATHS = [
  {
    id: 'claude-code',
    locations: claudeCode,
    secrets: ['~/.claude/.credentials.json', '~/.claude/history.jsonl'],
    projectNames: ['.mcp.json', '.claude'],
  },
  {
    id: 'claude-desktop',
    locations: claudeDesktop,
    applicationSecrets: ['Cookies', 'config.json', 'IndexedDB', 'Local Storage', 'Session Storage'].map(
      (name) => `Claude/${name}`,
    ),
  },
  {
    id: 'cursor',
    locations: (machine) => [locationIn(machine, [machine.home, '.cursor'], 'mcp.json')],
    secrets: ['~/.config/cursor/auth.json', '~/.cursor/cli-config.json'],
    applicationSecrets: ['Cursor/User/globalStorage'],
    projectNames: ['.cursor'],
  },
  vsCode('vscode', 'Code'),
  vsCode('vscode-insiders', 'Code - Insiders'),
  vsCode('vscodium', 'VSCodium'),
  {
    id: 'windsurf',
    locations: (machine) => [locationIn(machine, [machine.home, '.codeium', 'windsurf'], 'mcp_config.json')],
    applicationSecrets: ['Windsurf/User/globalStorage'],
    projectNames: ['.windsurf'],
  },
  {
    id: 'devin',
    locations: (machine) => [locationIn(machine, [...devinConfigDir(machine), 'devin'], 'config.json')],
    secrets: ['~/.local/share/devin'],
    projectNames: ['.devin'],
  },
  {
    id: 'codex',
    locations: codex,
    secrets: ['~/.codex/auth.json', '~/.codex/history.jsonl'],
    projectNames: ['.codex'],
  },
  {
    id: 'gemini',
    locations: gemini,
    secrets: ['~/.gemini/oauth_creds.json', '~/.gemini/.env', '~/.gemini/google_accounts.json'],
    projectNames: ['.gemini'],
  },
  {
    id: 'opencode',
    locations: opencode,
    secrets: ['~/.local/share/opencode'],
    projectNames: ['.opencode'],
    projectFiles: ['opencode.json', 'opencode.jsonc'],
  },
  { id: 'copilot', locations: copilot, secrets: ['~/.copilot/config.json'] },
  {
    id: 'qwen',
    locations: qwen,
    secrets: ['~/.qwen/oauth_creds.json', '~/.qwen/.env'],
    projectNames: ['.qwen'],
  },
  {
    id: 'cline',
    locations: cline,
    secrets: ['~/.cline/data/secrets.json'],
    projectNames: ['.cline', '.clinerules'],
  },
  {
    id: 'continue',
    locations: continueCli,
    secrets: ['~/.continue/.env', '~/.continue/auth.json'],
    projectNames: ['.continue'],
  },
  // Where its conversations are depends on the platform; on Linux they are not in the configuration directory.
  {
    id: 'zed',
    locations: zed,
    secrets: ['~/.local/share/zed/threads'],
    applicationSecrets: ['Zed/threads'],
    projectNames: ['.zed'],
  },
  {
    id: 'project',
    locations: (machine) => [
      { file: pathModule(machine).join(machine.cwd, '.mcp.json'), evidencePaths: [], inside: machine.cwd },
    ],
  },
] as const satisfies readonly ClientPaths[]

export type ClientId = (typeof CLIENT_PATHS)[number]['id']

const ALL_CLIENTS: readonly ClientPaths[] = CLIENT_PATHS

/** The settings and secrets of all clients of the user, whether they exist or not. Some start with `~/`. */
export function listClientSecrets(machine: MachineInfo): readonly string[] {
  const path = pathModule(machine)
  const directory = applicationConfigDir(machine)
  return [
    ...listClientSettings(machine),
    ...ALL_CLIENTS.flatMap(({ secrets = [] }) => secrets),
    ...ALL_CLIENTS.flatMap(({ applicationSecrets = [] }) => applicationSecrets).map((name) =>
      path.join(directory, name),
    ),
  ]
}

/** The files from which the clients of the user read the programs that they start. */
export function listClientSettings(machine: MachineInfo): readonly string[] {
  const all = ALL_CLIENTS.filter(({ id }) => id !== 'project').flatMap(({ locations }) => locations(machine))
  return [...all.map(({ file }) => file), ...all.flatMap(({ alternatives = [] }) => alternatives)]
}

/** The files in a project that are protected only if they exist. */
export function listProjectFiles(): readonly string[] {
  return ALL_CLIENTS.flatMap(({ projectFiles = [] }) => projectFiles)
}

/** The names in a project that make clients start programs. */
export function listProjectNames(): readonly string[] {
  return [...new Set(ALL_CLIENTS.flatMap(({ projectNames = [] }) => projectNames))]
}

function pathModule({ platform }: Pick<MachineInfo, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix
}

function vsCode<Id extends string>(id: Id, directory: string): ClientPaths & { readonly id: Id } {
  return {
    id,
    locations: (machine) => [locationIn(machine, [applicationConfigDir(machine), directory, 'User'], 'mcp.json')],
    applicationSecrets: [`${directory}/User/globalStorage`],
    projectNames: ['.vscode'],
  }
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
