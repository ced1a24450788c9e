// The configuration paths of each client on every platform.

import { expect, test } from 'vitest'

import {
  CLIENT_PATHS,
  type ClientPaths,
  listClientSecrets,
  listProjectNames,
  type MachineInfo,
} from './client-paths.js'

const CLIENTS: readonly ClientPaths[] = CLIENT_PATHS

const LINUX: MachineInfo = { platform: 'linux', home: '/home/ann', cwd: '/srv/shop', env: {}, listDirectory: () => [] }
const MAC: MachineInfo = { ...LINUX, platform: 'darwin', home: '/Users/ann' }
const WINDOWS: MachineInfo = {
  ...LINUX,
  platform: 'win32',
  home: 'C:\\Users\\Ann',
  env: { APPDATA: 'C:\\Users\\Ann\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\Ann\\AppData\\Local' },
}

function where(id: string, machine: MachineInfo): readonly string[] {
  const client = CLIENTS.find((each) => each.id === id)
  return client?.locations(machine).map(({ file }) => file) ?? []
}

test.each([
  ['claude-code', '~/.claude.json', '~/.claude.json', '~\\.claude.json'],
  [
    'claude-desktop',
    '~/.config/Claude/claude_desktop_config.json',
    '~/Library/Application Support/Claude/claude_desktop_config.json',
    '~\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  ],
  ['cursor', '~/.cursor/mcp.json', '~/.cursor/mcp.json', '~\\.cursor\\mcp.json'],
  [
    'vscode',
    '~/.config/Code/User/mcp.json',
    '~/Library/Application Support/Code/User/mcp.json',
    '~\\AppData\\Roaming\\Code\\User\\mcp.json',
  ],
  [
    'vscode-insiders',
    '~/.config/Code - Insiders/User/mcp.json',
    '~/Library/Application Support/Code - Insiders/User/mcp.json',
    '~\\AppData\\Roaming\\Code - Insiders\\User\\mcp.json',
  ],
  [
    'vscodium',
    '~/.config/VSCodium/User/mcp.json',
    '~/Library/Application Support/VSCodium/User/mcp.json',
    '~\\AppData\\Roaming\\VSCodium\\User\\mcp.json',
  ],
  [
    'windsurf',
    '~/.codeium/windsurf/mcp_config.json',
    '~/.codeium/windsurf/mcp_config.json',
    '~\\.codeium\\windsurf\\mcp_config.json',
  ],
  ['devin', '~/.config/devin/config.json', '~/.config/devin/config.json', '~\\AppData\\Roaming\\devin\\config.json'],
  ['codex', '~/.codex/config.toml', '~/.codex/config.toml', '~\\.codex\\config.toml'],
  ['gemini', '~/.gemini/settings.json', '~/.gemini/settings.json', '~\\.gemini\\settings.json'],
  ['zed', '~/.config/zed/settings.json', '~/.config/zed/settings.json', '~\\AppData\\Roaming\\Zed\\settings.json'],
  [
    'opencode',
    '~/.config/opencode/opencode.jsonc',
    '~/.config/opencode/opencode.jsonc',
    '~\\.config\\opencode\\opencode.jsonc',
  ],
  ['copilot', '~/.copilot/mcp-config.json', '~/.copilot/mcp-config.json', '~\\.copilot\\mcp-config.json'],
  ['qwen', '~/.qwen/settings.json', '~/.qwen/settings.json', '~\\.qwen\\settings.json'],
  [
    'cline',
    '~/.cline/data/settings/cline_mcp_settings.json',
    '~/.cline/data/settings/cline_mcp_settings.json',
    '~\\.cline\\data\\settings\\cline_mcp_settings.json',
  ],
  ['continue', '~/.continue/config.yaml', '~/.continue/config.yaml', '~\\.continue\\config.yaml'],
])('%s', (id, linux, mac, windows) => {
  expect(where(id, LINUX)).toEqual([linux.replace('~', LINUX.home)])
  expect(where(id, MAC)).toEqual([mac.replace('~', MAC.home)])
  expect(where(id, WINDOWS)).toEqual([windows.replace('~', () => WINDOWS.home)])
  expect(where(id, { ...WINDOWS, env: {} })).toEqual([windows.replace('~', () => WINDOWS.home)])
})

test.each([
  ['claude-code', { CLAUDE_CONFIG_DIR: '/srv/claude' }, '/srv/claude/.claude.json'],
  ['codex', { CODEX_HOME: '/srv/codex' }, '/srv/codex/config.toml'],
  ['gemini', { GEMINI_CLI_HOME: '/srv/g' }, '/srv/g/.gemini/settings.json'],
  ['vscode', { XDG_CONFIG_HOME: '/srv/x' }, '/srv/x/Code/User/mcp.json'],
  ['zed', { XDG_CONFIG_HOME: '/srv/x' }, '/srv/x/zed/settings.json'],
  ['opencode', { XDG_CONFIG_HOME: '/srv/x' }, '/srv/x/opencode/opencode.jsonc'],
  ['copilot', { COPILOT_HOME: '/srv/c' }, '/srv/c/mcp-config.json'],
  ['qwen', { QWEN_HOME: '/srv/q' }, '/srv/q/settings.json'],
  ['cline', { CLINE_DIR: '/srv/c' }, '/srv/c/data/settings/cline_mcp_settings.json'],
  ['cline', { CLINE_DIR: '/srv/c', CLINE_DATA_DIR: '/srv/d' }, '/srv/d/settings/cline_mcp_settings.json'],
  ['cline', { CLINE_DATA_DIR: '/srv/d', CLINE_MCP_SETTINGS_PATH: '/srv/m.json' }, '/srv/m.json'],
  ['continue', { CONTINUE_GLOBAL_DIR: '/srv/k' }, '/srv/k/config.yaml'],
  ['codex', { CODEX_HOME: 'relative' }, '/home/ann/.codex/config.toml'],
])('the environment changes the path of %s if it contains an absolute path: %j', (id, env, file) => {
  expect(where(id, { ...LINUX, env })).toEqual([file])
})

test('XDG_CONFIG_HOME changes the path of Zed on Linux only', () => {
  expect(where('zed', { ...MAC, env: { XDG_CONFIG_HOME: '/srv/x' } })).toEqual(['/Users/ann/.config/zed/settings.json'])
})

test('Claude Desktop from the Microsoft Store uses the directory of its package', () => {
  const listDirectory = (folder: string): readonly string[] =>
    folder.endsWith('Packages') ? ['Claude_pzs8sxrjxfjjc', 'Microsoft.Edge', 'Claudette_1'] : []
  expect(where('claude-desktop', { ...WINDOWS, listDirectory })).toEqual([
    'C:\\Users\\Ann\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\Users\\Ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  ])
})

test.each([
  [['opencode.json', 'node_modules'], 'opencode.json', []],
  [['config.json', 'opencode.json', 'opencode.jsonc'], 'opencode.jsonc', ['config.json', 'opencode.json']],
])('with the files %j, opencode uses %s', (names, chosen, alternatives) => {
  const client = CLIENTS.find(({ id }) => id === 'opencode')
  const folder = '/home/ann/.config/opencode'
  expect(client?.locations({ ...LINUX, listDirectory: (path) => (path === folder ? names : []) })).toEqual([
    {
      file: `${folder}/${chosen}`,
      evidencePaths: [folder],
      alternatives: alternatives.map((name) => `${folder}/${name}`),
    },
  ])
})

test('every file that install would write to is a secret, except that of the project', () => {
  const secrets = listClientSecrets(LINUX)
  for (const { id, locations } of CLIENTS.filter((client) => client.id !== 'project'))
    for (const { file } of locations(LINUX)) expect(secrets, id).toContain(file)
  expect(where('project', LINUX)).toEqual(['/srv/shop/.mcp.json'])
  expect(secrets).not.toContain('/srv/shop/.mcp.json')
})

test.each([
  [LINUX, '/home/ann/.config/'],
  [MAC, '/Users/ann/Library/Application Support/'],
  [WINDOWS, 'C:\\Users\\Ann\\AppData\\Roaming\\'],
])('the settings and secrets of every client are secret on $0.platform', (machine, directory) => {
  const secrets = listClientSecrets(machine)
  for (const { id, locations, ...client } of CLIENTS.filter((each) => each.id !== 'project')) {
    for (const { file } of locations(machine)) expect.soft(secrets, id).toContain(file)
    for (const path of client.secrets ?? []) expect.soft(secrets, id).toContain(path)
    for (const path of client.applicationSecrets ?? [])
      expect
        .soft(secrets, id)
        .toContain(`${directory}${machine.platform === 'win32' ? path.replaceAll('/', '\\') : path}`)
  }
})

test('every client but those that keep nothing else has secrets besides its settings', () => {
  const without = CLIENTS.filter(
    ({ secrets = [], applicationSecrets = [] }) => secrets.length + applicationSecrets.length === 0,
  )
  expect(without.map(({ id }) => id)).toEqual(['project'])
  const inConfig = CLIENTS.flatMap(({ secrets = [] }) => secrets).filter((path) => path.startsWith('~/.config/'))
  // Its command line uses the same path on all platforms.
  expect(inConfig).toEqual(['~/.config/cursor/auth.json'])
})

test('the names in a project that make clients start programs', () => {
  expect(listProjectNames()).toEqual(
    expect.arrayContaining(['.mcp.json', '.claude', '.cursor', '.vscode', '.codex', '.gemini']),
  )
})

test.each([LINUX, MAC, WINDOWS])(
  'a file in the project, which may be a clone, may not be a link out of it ($platform)',
  (machine) => {
    const inProject = CLIENT_PATHS.flatMap((client) => client.locations(machine)).filter(({ file }) =>
      file.replaceAll('\\', '/').startsWith(machine.cwd),
    )
    expect(inProject.length).toBeGreaterThan(0)
    expect(inProject.map(({ inside }) => inside)).toEqual(inProject.map(() => machine.cwd))
  },
)
