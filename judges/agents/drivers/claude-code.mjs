// Claude Code: `claude -p`, and the Anthropic Messages format.
import { join } from 'node:path'
import { anthropicMessages } from '../model/anthropic-messages.mjs'

export const claudeCode = {
  id: 'claude-code',
  label: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  always: true,
  format: anthropicMessages,
  toolName: (tool) => `mcp__scorpiox__${tool}`,
  install: 'claude-code',
  images: true,
  instructions: true,
  passesOn: (blocks) => blocks,

  configure({ workspace }) {
    // Answers the questions of a first start, for the session on a terminal.
    workspace.merge('home/.claude.json', {
      hasCompletedOnboarding: true,
      projects: { [workspace.project]: { hasTrustDialogAccepted: true } },
    })
  },

  connectHttp({ workspace, url, token }) {
    workspace.merge('home/.claude.json', {
      mcpServers: { scorpiox: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } },
    })
  },

  command({ packages, model, prompt }) {
    const [platform, processor] = [process.platform, process.arch]
    return {
      file: join(packages, `@anthropic-ai/claude-code-${platform}-${processor}`, 'claude'),
      args: ['-p', prompt, '--permission-mode', 'bypassPermissions'],
      env: {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: 'judge',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        // The first request waits for the server's tools, also on a busy machine.
        MCP_CONNECTION_NONBLOCKING: '0',
        MCP_CONNECT_TIMEOUT_MS: '60000',
        // Root may bypass permissions only where this says that the machine is a sandbox.
        IS_SANDBOX: '1',
      },
    }
  },
}
