// Shared by the tools of the fixture: definition, forms, waiting, text of answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '../../dist/library.mjs'
export { pixel, silence } from '../../test/fixture/samples.mjs'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

/** A tool whose `run` returns its output: a string, or content blocks. Default input: no arguments. */
export function tool(name, description, { input = { type: 'object' }, ...rest }) {
  const title = name.replaceAll('_', ' ')
  return defineTool({ name, title, description, hints, input, format: (output) => output, ...rest })
}

/** An input schema of required strings. */
export function strings(...names) {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  }
}

/** A form in which all `properties` are required. */
export function form(message, properties) {
  return { kind: 'form', message, schema: { type: 'object', properties, required: Object.keys(properties) } }
}

/** A sampling request. */
export function sample(text, maxTokens) {
  return { kind: 'sample', messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens }
}

/** The text of a sampling result. */
export function textOf({ content }) {
  return [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('')
}

/** Rejects when the call is aborted. */
export function pause(milliseconds, call) {
  return sleep(milliseconds, undefined, { signal: call.signal })
}
