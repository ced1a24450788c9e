// Codex: `codex exec`, and the OpenAI Responses format.
import { join } from 'node:path'
import { openaiResponses } from '../model/openai-responses.mjs'

export const codex = {
  id: 'codex',
  label: 'Codex',
  package: '@openai/codex',
  always: true,
  format: openaiResponses,
  toolName: (tool) => `mcp__scorpiox.${tool}`,
  install: 'codex',
  images: true,
  instructions: true,
  /** Codex puts the time a call took in front, as a block of its own. */
  received: (blocks) => (/^Wall time: [\d.]+ seconds\nOutput:$/.test(blocks[0]?.text ?? '') ? blocks.slice(1) : blocks),
  passesOn: (blocks) => blocks,

  configure({ workspace }) {
    workspace.append('home/.codex/config.toml', settings)
  },

  connectHttp({ workspace, url, token }) {
    workspace.write(
      'home/.codex/config.toml',
      `[mcp_servers.scorpiox]
url = "${url}"
http_headers = { Authorization = "Bearer ${token}" }
${settings}`,
    )
  },

  command({ packages, model, prompt }) {
    const provider = `model_providers.judge={ name = "Judge", base_url = "${model}/v1", wire_api = "responses", env_key = "JUDGE_KEY" }`
    return {
      file: process.execPath,
      args: [
        join(packages, '@openai/codex/bin/codex.js'),
        'exec',
        '-c',
        provider,
        '-c',
        'model_provider="judge"',
        '-m',
        'judge',
        prompt,
      ],
      env: { JUDGE_KEY: 'judge' },
    }
  },
}

// The first line belongs to the server's table, which `install` writes at the end of the file.
const settings = `default_tools_approval_mode = "approve"

[analytics]
enabled = false
`
