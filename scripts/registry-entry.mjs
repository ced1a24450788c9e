// server.json: what the MCP registry is told of this package. Name, version and description are those of package.json;
// the settings offered to people are options of the program, in its own words.

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** The options that a person may want to set before anything runs; the others are for files. */
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
