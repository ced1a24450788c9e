// opencode: `opencode run`, and the Anthropic Messages format: a provider it brings along, so nothing is downloaded.
import { join } from 'node:path'
import { anthropicMessages } from '../model/anthropic-messages.mjs'

export const opencode = {
  id: 'opencode',
  label: 'opencode',
  package: `opencode-${process.platform}-${process.arch}`,
  always: true,
  format: anthropicMessages,
  toolName: (tool) => `scorpiox_${tool}`,
  install: 'opencode',
  images: true,
  instructions: true,
  /** All text in one block, then the images. */
  passesOn: (blocks) => [
    { type: 'text', text: blocks.flatMap(({ text }) => text ?? []).join('\n\n') },
    ...blocks.filter(({ type }) => type === 'image'),
  ],

  configure({ workspace }) {
    workspace.merge('home/.config/opencode/opencode.json', {
      autoupdate: false,
      share: 'disabled',
      snapshot: false,
      permission: 'allow',
    })
  },

  connectHttp({ workspace, url, token }) {
    workspace.merge('home/.config/opencode/opencode.json', {
      mcp: { scorpiox: { type: 'remote', url, headers: { Authorization: `Bearer ${token}` }, enabled: true } },
    })
  },

  command({ workspace, packages, model, prompt }) {
    workspace.merge('home/.config/opencode/opencode.json', {
      provider: { anthropic: { options: { baseURL: `${model}/v1`, apiKey: 'judge' } } },
    })
    return {
      file: join(packages, this.package, 'bin/opencode'),
      args: ['run', '--model', 'anthropic/claude-sonnet-4-5', prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        // It installs the packages of plugins at every first start, also where there is no plugin.
        npm_config_registry: 'http://127.0.0.1:9',
        npm_config_fetch_retries: '0',
      },
    }
  },
}
