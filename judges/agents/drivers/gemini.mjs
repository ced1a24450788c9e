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
  passesOn: (blocks) => blocks,

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
