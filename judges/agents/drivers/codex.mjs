// Codex: `codex exec`, and the OpenAI Responses format.
import { join } from 'node:path'
import { keys } from '../keys.mjs'
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
    workspace.append('home/.codex/config.toml', `${settings}${trusted(workspace)}`)
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
    return { file: process.execPath, args: [program(packages), 'exec', ...provider(model), prompt], env }
  },

  terminal: {
    command({ packages, model }) {
      return { file: process.execPath, args: [program(packages), ...provider(model)], env }
    },
    ready: /› Ask Codex/,
    /** The fields come one after the other; Enter at the last one sends all. */
    async answer({ press, waitFor }) {
      await waitFor(/Field 1\/2[^]*› 1\. Red/)
      press(keys.down)
      await waitFor(/› 2\. Blue/)
      press(keys.enter)
      await waitFor(/Field 2\/2[^]*submit all/)
      press(keys.enter)
    },
    quit: '/quit\r',
  },
}

const program = (packages) => join(packages, '@openai/codex/bin/codex.js')
const env = { JUDGE_KEY: 'judge' }

/** A model that Codex does not know is offered the tools themselves, not a search for them. */
function provider(model) {
  const entry = `{ name = "Judge", base_url = "${model}/v1", wire_api = "responses", env_key = "JUDGE_KEY" }`
  return ['-c', `model_providers.judge=${entry}`, '-c', 'model_provider="judge"', '-m', 'judge']
}

// The first line belongs to the server's table, which `install` writes at the end of the file.
const settings = `default_tools_approval_mode = "approve"

[analytics]
enabled = false
`

const trusted = ({ project }) => `
[projects."${project}"]
trust_level = "trusted"
`
