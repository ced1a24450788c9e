// The supported clients: the format of their configuration and what our entry in it contains. Their paths are in
// packages/server/src/clients, because the sandbox hides and protects them. Used by install-command, uninstall-command,
// targets, own-entry and the help text. Data only.

import type { JsonObject } from '@scorpiox/mcp/json/json'
import { CLIENT_PATHS, type ClientId, type ClientPaths } from '@scorpiox/server/clients/client-paths'
import type { ConfigFormatName } from './config-format.js'
import { CODEX_APPROVAL, CONTINUE_BASH, type EntryChoice } from './entry-choices.js'

export interface ClientDefinition extends Pick<ClientPaths, 'locations'> {
  /** The name on the command line. */
  readonly id: ClientId
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
}

/** Cline aborts a call after 60 seconds by default, which is too short for a build or a question to a person. */
const CLINE_TIMEOUT_SECONDS = 3600

const VS_CODE_ENTRY = { container: 'servers', extra: { type: 'stdio' } } as const

type Entry = Partial<Omit<ClientDefinition, 'id' | 'locations'>> & Pick<ClientDefinition, 'name'>

const ENTRIES: Readonly<Record<ClientId, Entry>> = {
  'claude-code': { name: 'Claude Code' },
  'claude-desktop': { name: 'Claude Desktop' },
  cursor: { name: 'Cursor' },
  vscode: { name: 'VS Code', ...VS_CODE_ENTRY },
  'vscode-insiders': { name: 'VS Code Insiders', ...VS_CODE_ENTRY },
  vscodium: { name: 'VSCodium', ...VS_CODE_ENTRY },
  windsurf: { name: 'Windsurf' },
  devin: { name: 'Devin' },
  codex: { name: 'Codex', container: 'mcp_servers', format: 'toml', choice: CODEX_APPROVAL },
  gemini: { name: 'Gemini CLI' },
  opencode: { name: 'opencode', container: 'mcp', hasCommandList: true, extra: { type: 'local', enabled: true } },
  copilot: { name: 'Copilot CLI', extra: { type: 'local', tools: ['*'] } },
  qwen: { name: 'Qwen Code' },
  cline: { name: 'Cline CLI', extra: { timeout: CLINE_TIMEOUT_SECONDS } },
  continue: {
    name: 'Continue CLI',
    format: 'yaml',
    extra: { name: 'scorpiox' },
    choice: CONTINUE_BASH,
    newFileNote: 'Continue uses this file instead of its default configuration; add your models to it',
  },
  zed: { name: 'Zed', container: 'context_servers' },
  project: { name: 'Claude Code in this project', onlyWhenNamed: true },
}

const DEFAULTS = {
  format: 'jsonc',
  container: 'mcpServers',
  hasCommandList: false,
  extra: {},
  onlyWhenNamed: false,
} as const

export const CLIENTS: readonly ClientDefinition[] = CLIENT_PATHS.map(({ id, locations }) =>
  defineClient(id, locations, ENTRIES[id]),
)

function defineClient(id: ClientId, locations: ClientPaths['locations'], entry: Entry): ClientDefinition {
  return { ...DEFAULTS, ...entry, id, locations }
}
