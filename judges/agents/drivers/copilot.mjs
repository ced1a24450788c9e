// Copilot CLI with a provider of one's own: `copilot -p`, and the OpenAI Chat Completions format.
import { join } from 'node:path'
import { openaiChatCompletions } from '../model/openai-chat-completions.mjs'

const servers = 'home/.copilot/mcp-config.json'

export const copilot = {
  id: 'copilot',
  label: 'Copilot CLI',
  package: `@github/copilot-${process.platform}-${process.arch}`,
  always: false,
  format: openaiChatCompletions,
  toolName: (tool) => `scorpiox-${tool}`,
  install: 'copilot',
  images: false,
  instructions: false,
  /** The server is named in front of a failed result. */
  received: (blocks) =>
    blocks.map((block) => ({ ...block, text: block.text?.replace(/^MCP server 'scorpiox': /, '') })),
  /** The texts one behind the other, nothing between. */
  passesOn: (blocks) => [{ type: 'text', text: blocks.map(({ text }) => text ?? '').join('') }],

  configure() {},

  connectHttp({ workspace, url, token }) {
    workspace.merge(servers, {
      mcpServers: { scorpiox: { type: 'http', url, headers: { Authorization: `Bearer ${token}` }, tools: ['*'] } },
    })
  },

  command({ packages, model, prompt }) {
    return {
      file: join(packages, this.package, 'copilot'),
      args: ['--prompt', prompt, '--allow-all-tools', '--no-auto-update', '--no-color'],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_API_KEY: 'judge',
        COPILOT_MODEL: 'judge',
        COPILOT_OFFLINE: 'true',
        // Unpacking takes seconds, so it is done once for all sessions.
        COPILOT_PKG_CACHE_HOME: join(packages, '.copilot'),
      },
    }
  },
}
