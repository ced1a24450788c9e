// Builds server.json, the entry in the MCP registry. Name, version and description come from package.json; settings and their
// descriptions from the options of the program.

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** Options to offer at installation; the others are set in files. */
const OFFERED = ['STARTUP_DIR', 'SANDBOX', 'STATE_DIR', 'DATABASE_URL', 'FETCH_ALLOW', 'WEBSEARCH_KEYS', 'LOG_LEVEL']
const FOLDERS = new Set(['STARTUP_DIR', 'STATE_DIR'])

export function registryEntry({ name, mcpName, version, description }, options) {
  return {
    $schema: SCHEMA,
    name: mcpName,
    title: name,
    description,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: OFFERED.map((key) => variable(key, options)),
      },
    ],
  }
}

function variable(key, options) {
  const option = options.find((each) => each.key === key)
  if (!option) throw new Error(`there is no option ${key} to offer in server.json`)
  const { about, choices, default: fallback, secret } = option
  return {
    name: key,
    description: about,
    isRequired: false,
    format: FOLDERS.has(key) ? 'filepath' : 'string',
    ...(secret && { isSecret: true }),
    ...(choices && { choices }),
    ...(fallback !== '' && { default: String(fallback) }),
  }
}
