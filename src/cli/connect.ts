// How to connect the clients people have: one command for all that are used here, and the text to paste for each, with
// the absolute path of this program.

import { shellWord } from '../lib/shell-word.js'

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

export function connectionGuide(launch: Launch): string {
  const entry = { command: launch.command, args: launch.args }
  const words = [launch.command, ...launch.args].map(shellWord).join(' ')
  const servers = JSON.stringify({ mcpServers: { scorpiox: entry } })
  return [
    section('All clients that are used here', `${words} install`),
    section('Claude Code', `claude mcp add scorpiox -- ${words}`),
    section('Claude Desktop (claude_desktop_config.json) and Cursor (~/.cursor/mcp.json)', servers),
    section('VS Code (.vscode/mcp.json)', JSON.stringify({ servers: { scorpiox: { type: 'stdio', ...entry } } })),
    section(
      'Codex (~/.codex/config.toml)',
      `[mcp_servers.scorpiox]\ncommand = ${JSON.stringify(launch.command)}\nargs = ${JSON.stringify(launch.args)}`,
    ),
  ].join('\n')
}

function section(title: string, text: string): string {
  return `${title}\n${text.replace(/^/gm, '  ')}\n`
}
