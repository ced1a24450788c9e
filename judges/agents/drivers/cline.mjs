// Cline: `cline`, and the OpenAI Chat Completions format.
import { join } from 'node:path'
import { openaiChatCompletions } from '../model/openai-chat-completions.mjs'

const servers = 'home/.cline/data/settings/cline_mcp_settings.json'

export const cline = {
  id: 'cline',
  label: 'Cline',
  package: `@cline/cli-${process.platform}-${process.arch}`,
  always: false,
  format: openaiChatCompletions,
  toolName: (tool) => `scorpiox__${tool}`,
  install: 'cline',
  images: false,
  instructions: false,
  received: (blocks) => blocks.flatMap(unwrap),
  passesOn: (blocks) => blocks,

  configure() {},

  connectHttp({ workspace, url, token }) {
    workspace.merge(servers, {
      mcpServers: {
        scorpiox: { type: 'streamableHttp', url, headers: { Authorization: `Bearer ${token}` } },
      },
    })
  },

  command({ workspace, packages, model, prompt }) {
    workspace.write('home/.cline/data/settings/providers.json', {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      providers: {
        'openai-compatible': {
          settings: {
            provider: 'openai-compatible',
            apiKey: 'judge',
            model: 'judge',
            baseUrl: `${model}/v1`,
          },
          updatedAt: '2026-01-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    })
    return {
      file: join(packages, this.package, 'bin/cline'),
      args: ['--provider', 'openai-compatible', '--model', 'judge', '--auto-approve', 'true', prompt],
      // Without the daemon that Cline otherwise leaves running for its other programs.
      env: { CLINE_SESSION_BACKEND_MODE: 'local' },
    }
  },
}

/** The model gets the whole result as JSON; a long one with its middle replaced by a mark, which is no JSON. */
function unwrap({ text }) {
  const whole = text.replace(/\n\n\.\.\.\[truncated \d+ chars\]\.\.\.\n\n/, (mark) => JSON.stringify(mark).slice(1, -1))
  const { content } = JSON.parse(whole)
  return content.map((block) => (block.type === 'text' ? block : { type: 'text', text: JSON.stringify(block) }))
}
