// Claude Code: `claude -p`, and the Anthropic Messages format.
import { join } from 'node:path'
import { keys } from '../keys.mjs'
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
  /** The blocks as they are; those of a failed result joined, without the last line break. */
  passesOn: (blocks, isError) =>
    isError
      ? [
          {
            type: 'text',
            text: blocks
              .map(({ text }) => text)
              .join('\n')
              .trim(),
          },
        ]
      : blocks,

  configure({ workspace }) {
    // Answers the questions of a first start, for the session on a terminal.
    workspace.merge('home/.claude.json', {
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: ['judge'], rejected: [] },
      projects: { [workspace.project]: { hasTrustDialogAccepted: true } },
    })
  },

  connectHttp({ workspace, url, token }) {
    workspace.merge('home/.claude.json', {
      mcpServers: { scorpiox: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } },
    })
  },

  command({ packages, model, prompt }) {
    return { file: program(packages), args: ['-p', prompt, ...permission], env: environment(model) }
  },

  terminal: {
    command: ({ packages, model }) => ({ file: program(packages), args: permission, env: environment(model) }),
    ready: /^❯/m,
    /** Opens the list of the first field, takes its second option, and goes on to Accept. */
    async answer({ press, waitFor }) {
      await waitFor(/❯ +.+: ▸ not set/)
      press(keys.right)
      await waitFor(/❯ ◯ Red/)
      press(keys.down)
      await waitFor(/❯ ◯ Blue/)
      press(keys.enter)
      await waitFor(/✔ .+: Blue/)
      press(keys.down)
      await waitFor(/❯ +Accept/)
      press(keys.enter)
    },
    quit: '/exit\r',
  },
}

const permission = ['--permission-mode', 'bypassPermissions']

const program = (packages) => join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, 'claude')

function environment(model) {
  return {
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'judge',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    // The first request waits for the server's tools, also on a busy machine.
    MCP_CONNECTION_NONBLOCKING: '0',
    MCP_CONNECT_TIMEOUT_MS: '60000',
    // Root may bypass permissions only if this declares the machine a sandbox.
    IS_SANDBOX: '1',
  }
}
