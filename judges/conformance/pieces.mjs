// What the fixture's tools have in common: how they are defined, what they wait with, and what they answer with.
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '../../dist/library.mjs'
export { pixel, silence } from '../../test/fixture/samples.mjs'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

/** A tool whose `run` returns what it says: a string, or blocks. Without `input` it takes no arguments. */
export function tool(name, description, { input = { type: 'object' }, ...rest }) {
  const title = name.replaceAll('_', ' ')
  return defineTool({ name, title, description, hints, input, render: (words) => words, ...rest })
}

/** The arguments of a tool that needs all of them, each a string. */
export function strings(...names) {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  }
}

/** A question a person answers by filling in `properties`, all of them. */
export function form(message, properties) {
  return { kind: 'form', message, schema: { type: 'object', properties, required: Object.keys(properties) } }
}

/** A question for the client's model. */
export function sample(text, maxTokens) {
  return { kind: 'sample', messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens }
}

/** The words of a model's answer. */
export function wordsOf({ content }) {
  return [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('')
}

/** Rejects when the call is aborted. */
export function pause(milliseconds, call) {
  return sleep(milliseconds, undefined, { signal: call.signal })
}
