// The input of AskUserQuestion. What is published is a JSON string; models that send the JSON itself are understood, and
// whoever sends neither is told with an example, by the tool.

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
