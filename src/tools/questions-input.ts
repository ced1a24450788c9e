// The AskUserQuestion tool: asks over a form of the client, the console page or terminal inbox, or else returns the
// question as text with an id.
//
// The published schema asks for a JSON string. The JSON value itself is accepted too; anything else fails in `run`,
// with an example.

import { isObject, type JsonObject } from '../lib/json.js'
import type { StandardSchema } from './standard-schema.js'

const PUBLISHED: JsonObject = {
  type: 'object',
  properties: { questions_json: { type: 'string', description: 'JSON string with questions and options' } },
  required: ['questions_json'],
}

export const QUESTIONS_INPUT: StandardSchema<unknown, { readonly questions_json: unknown }> = {
  '~standard': {
    version: 1,
    vendor: 'scorpiox-code',
    validate: (value) => ({ value: { questions_json: isObject(value) ? value.questions_json : undefined } }),
    jsonSchema: { input: () => PUBLISHED, output: () => PUBLISHED },
  },
}
