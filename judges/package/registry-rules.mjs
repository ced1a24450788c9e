// What the registry requires of a server.json (schema 2025-12-11), by its documentation. The schema itself is
// published at the address in $schema; SERVER_SCHEMA=<file> judges by a copy of it instead.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

const text = { type: 'string', minLength: 1 }
const input = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text,
    description: text,
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
    default: { type: 'string' },
    choices: { type: 'array', items: { type: 'string' } },
  },
  additionalProperties: false,
}

const rules = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'packages'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', minLength: 3, maxLength: 200 },
    title: { ...text, maxLength: 100 },
    description: { ...text, maxLength: 100 },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$', maxLength: 255 },
    packages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['registryType', 'identifier', 'version', 'transport'],
        properties: {
          registryType: { const: 'npm' },
          identifier: text,
          version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$' },
          runtimeHint: { const: 'npx' },
          transport: { type: 'object', required: ['type'], properties: { type: { const: 'stdio' } } },
          environmentVariables: { type: 'array', items: input },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
}

/** Throws what is wrong with it. */
export function judgeEntry(entry) {
  const { SERVER_SCHEMA } = process.env
  const schema = SERVER_SCHEMA ? JSON.parse(readFileSync(SERVER_SCHEMA, 'utf8')) : rules
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  const validate = ajv.compile(schema)
  if (!validate(entry)) throw new Error(ajv.errorsText(validate.errors))
}
