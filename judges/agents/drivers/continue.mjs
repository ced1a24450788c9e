// Continue: `cn -p`, and the OpenAI Chat Completions format. Its own Bash hides ours, so ours is switched off and the
// scenarios run commands with BackgroundBash.
import { join } from 'node:path'
import { httpScenariosWithoutBash, killScenariosWithoutBash, scenariosWithoutBash } from '../scenarios-without-bash.mjs'
import { openaiChatCompletions } from '../model/openai-chat-completions.mjs'

const configuration = 'home/.continue/config.yaml'

export const continueCli = {
  id: 'continue',
  label: 'Continue',
  package: '@continuedev/cli',
  always: false,
  format: openaiChatCompletions,
  toolName: (tool) => tool,
  install: 'continue',
  installOptions: ['--continue-bash', 'own'],
  scenarios: scenariosWithoutBash,
  httpScenarios: httpScenariosWithoutBash,
  killScenarios: killScenariosWithoutBash,
  images: false,
  instructions: false,
  received: (blocks) => blocks.flatMap(unwrap),
  passesOn: (blocks) => blocks,

  configure() {},

  connectHttp({ workspace, url, token }) {
    workspace.write(
      configuration,
      `name: Judge
version: 1.0.0
schema: v1
mcpServers:
  - name: scorpiox
    type: streamable-http
    url: ${url}
    requestOptions:
      headers:
        Authorization: Bearer ${token}
`,
    )
  },

  command({ workspace, packages, model, prompt }) {
    workspace.append(
      configuration,
      `models:
  - name: Judge
    provider: openai
    model: judge
    apiBase: ${model}/v1
    apiKey: judge
    capabilities: [tool_use, image_input]
    roles: [chat]
`,
    )
    return {
      file: process.execPath,
      args: [join(packages, '@continuedev/cli/dist/cn.js'), '--print', '--auto', prompt],
      env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0' },
    }
  },
}

/** The model gets the blocks of a result as JSON; results of Continue's own tools are text. */
function unwrap(block) {
  if (!block.text.startsWith('[{"type":"')) return [block]
  const content = JSON.parse(block.text)
  return content.map((part) => (part.type === 'text' ? part : { type: 'text', text: JSON.stringify(part) }))
}
