// Gemini CLI: `gemini --prompt`, and the Gemini format.
import { join } from 'node:path'
import { gemini } from '../model/gemini.mjs'

export const geminiCli = {
  id: 'gemini',
  label: 'Gemini CLI',
  package: '@google/gemini-cli',
  always: true,
  format: gemini,
  toolName: (tool) => `mcp_scorpiox_${tool}`,
  install: 'gemini',
  images: true,
  instructions: true,
  received: (blocks) => blocks.flatMap((block) => (block.type === 'text' ? unwrap(block.text) : [block])),
  /** The text first, then the images. */
  passesOn: (blocks) => ['text', 'image'].flatMap((type) => blocks.filter((block) => block.type === type)),

  configure({ workspace }) {
    workspace.merge('home/.gemini/settings.json', {
      general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: 'gemini-api-key' } },
    })
  },

  connectHttp({ workspace, url, token }) {
    workspace.merge('home/.gemini/settings.json', {
      mcpServers: { scorpiox: { httpUrl: url, headers: { Authorization: `Bearer ${token}` } } },
    })
  },

  command({ packages, model, prompt }) {
    return {
      file: process.execPath,
      args: [
        join(packages, '@google/gemini-cli/bundle/gemini.js'),
        '--yolo',
        '--skip-trust',
        '--model',
        'gemini-3-pro-preview',
        '--prompt',
        prompt,
      ],
      env: { GEMINI_API_KEY: 'judge', GOOGLE_GEMINI_BASE_URL: model },
    }
  },
}

/** Gemini CLI marks the text of a server as untrusted, and puts a failed result as JSON into a message of its own. */
function unwrap(text) {
  const [, failure] =
    /^MCP tool '\w+' reported tool error for function call: .* with response: (\[.*\])$/s.exec(text) ?? []
  if (failure) return JSON.parse(failure)[0].functionResponse.response.content
  const wrapped = [...text.matchAll(/<untrusted_context>\n(.*?)\n<\/untrusted_context>/gs)]
  return wrapped.length > 0 ? wrapped.map(([, inner]) => ({ type: 'text', text: inner })) : [{ type: 'text', text }]
}
