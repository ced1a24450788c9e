// Codex: `codex exec`, and the OpenAI Responses format. A model that Codex does not know (`judge`) is offered the tools
// themselves; those it knows search for them or, in code mode, call them from JavaScript.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { keys } from '../keys.mjs'
import { openaiResponses, openaiResponsesCodeMode } from '../model/openai-responses.mjs'

export const codex = {
  id: 'codex',
  label: 'Codex',
  package: '@openai/codex',
  always: true,
  format: openaiResponses,
  toolName: (tool) => `mcp__scorpiox.${tool}`,
  install: 'codex',
  installOptions: ['--codex-approval', 'approve'],
  /** Codex does not wait for a server that starts slowly: the first request may lack its tools. */
  toolLoader: { name: 'list_mcp_resources', input: {} },
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
default_tools_approval_mode = "approve"
${settings}`,
    )
  },

  command({ packages, model, prompt }) {
    return { file: process.execPath, args: [program(packages), 'exec', ...provider(model), '-m', 'judge', prompt], env }
  },

  terminal: {
    command({ packages, model }) {
      return { file: process.execPath, args: [program(packages), ...provider(model), '-m', 'judge'], env }
    },
    ready: /› Ask Codex/,
    /** Enter at the last field sends the form; in an empty text field it does nothing, so the list has to be the last. */
    async answer({ press, waitFor }) {
      await waitFor(/Field 1\/1[^]*› 1\. Red/)
      press(keys.down)
      await waitFor(/› 2\. Blue/)
      press(keys.enter)
    },
    quit: '/quit\r',
  },
}

/** The same with the model that is Codex's default: tools are functions of a JavaScript program that the model writes. */
export const codexCodeMode = {
  ...codex,
  id: 'codex-code-mode',
  folder: 'codex',
  label: 'Codex, code mode',
  format: openaiResponsesCodeMode,
  toolName: (tool) => `mcp__scorpiox__${tool}`,
  sessions: ['overStdio'],
  instructions: false,
  /** A script may run before the server has started: its tools are not there yet. */
  async *warmUp() {
    for (let tries = 0; tries < 300; tries++) {
      const { blocks } = yield { tool: 'ListBgTasks', input: {} }
      if (!/is not a function/.test(JSON.stringify(blocks))) return
      await delay(200)
    }
  },
  received: (blocks) => (blocks[0]?.text?.startsWith('Script completed\nWall time') ? blocks.slice(1) : blocks),

  command({ packages, model, prompt }) {
    const args = [program(packages), 'exec', ...provider(model), '-m', 'gpt-6.1-sol', prompt]
    return { file: process.execPath, args, env }
  },
}

const program = (packages) => join(packages, '@openai/codex/bin/codex.js')
const env = { JUDGE_KEY: 'judge' }

function provider(model) {
  const entry = `{ name = "Judge", base_url = "${model}/v1", wire_api = "responses", env_key = "JUDGE_KEY" }`
  return ['-c', `model_providers.judge=${entry}`, '-c', 'model_provider="judge"']
}

const settings = `
[analytics]
enabled = false
`

const trusted = ({ project }) => `
[projects."${project}"]
trust_level = "trusted"
`
