// The manifest of the Claude Desktop bundle: how to start the server, the settings of its form, and the tools as listed by
// the program.

import { readFileSync } from 'node:fs'

/** The form in the app. Optional settings need a default, otherwise the placeholder becomes the value. */
const USER_CONFIG = {
  workspace: {
    type: 'directory',
    title: 'Workspace',
    description: 'The folder in which commands run.',
    required: true,
  },
  sandbox: {
    type: 'string',
    title: 'Sandbox',
    description:
      'What commands may do: off, read-only, workspace (write to the workspace only) or strict (workspace, without network access). Needs bubblewrap on Linux.',
    default: 'off',
    required: false,
  },
  search_keys: {
    type: 'string',
    title: 'Search keys',
    description: 'API keys of search engines, such as brave=KEY,tavily=KEY. Search also works without keys.',
    default: '',
    sensitive: true,
    required: false,
  },
  local_pages: {
    type: 'string',
    title: 'Local pages',
    description:
      'Private addresses that ReadDocs and WebSearch may reach, such as localhost:3000, separated by commas.',
    default: '',
    required: false,
  },
}

export function bundleManifest(tools, platforms) {
  const { name, version, description, keywords, license, engines } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Scorpiox Code',
    version,
    description,
    author: { name: 'The scorpiox-code authors' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'dist/scorpiox-code.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/dist/scorpiox-code.js'],
        env: {
          STARTUP_DIR: '${user_config.workspace}',
          SANDBOX: '${user_config.sandbox}',
          WEBSEARCH_KEYS: '${user_config.search_keys}',
          FETCH_ALLOW: '${user_config.local_pages}',
        },
      },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description.split('\n')[0] })),
    // Skills become prompts, and scripts become tools.
    tools_generated: true,
    prompts_generated: true,
    user_config: USER_CONFIG,
    compatibility: { platforms, runtimes: { node: engines.node } },
  }
}
