// Qwen Code: `qwen --yolo`, and the OpenAI Chat Completions format.
import { join } from 'node:path'
import { openaiChatCompletions } from '../model/openai-chat-completions.mjs'

const settings = 'home/.qwen/settings.json'

export const qwen = {
  id: 'qwen',
  label: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  always: false,
  format: openaiChatCompletions,
  toolName: (tool) => `mcp__scorpiox__${tool}`,
  install: 'qwen',
  /** Qwen lists the tools of servers by name only, until the model asks for them. */
  toolLoader: { name: 'tool_search', input: { query: 'mcp__scorpiox', max_results: 20 } },
  images: false,
  instructions: false,
  received: (blocks) => blocks.map((block) => (block.type === 'text' ? { ...block, text: unwrap(block.text) } : block)),
  /** The texts in one block, on lines of their own. */
  passesOn: (blocks) => [{ type: 'text', text: joined(blocks) }],

  configure({ workspace }) {
    workspace.merge(settings, {
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    })
  },

  connectHttp({ workspace, url, token }) {
    workspace.merge(settings, {
      mcpServers: { scorpiox: { httpUrl: url, headers: { Authorization: `Bearer ${token}` } } },
    })
  },

  command({ packages, model, prompt }) {
    return {
      file: process.execPath,
      args: [
        join(packages, '@qwen-code/qwen-code/cli.js'),
        '--yolo',
        '--auth-type',
        'openai',
        '--openai-base-url',
        `${model}/v1`,
        '--openai-api-key',
        'judge',
        '--model',
        'judge',
        '--prompt',
        prompt,
      ],
      env: {},
    }
  },
}

function joined(blocks) {
  return blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('\n')
}

/** A failed call reaches the model as a sentence about the error, with the result in it as JSON. */
function unwrap(text) {
  const [, response] =
    /^MCP tool '\w+' reported tool error for function call: .* with response: (\[.*\])$/s.exec(text) ?? []
  if (response === undefined) return text
  const [{ functionResponse }] = JSON.parse(response)
  return joined(functionResponse.response.error.content)
}
