// The OpenAI Responses wire format: `POST …/responses`.
import { sendEvents, sendJson } from './http-replies.mjs'

export const openaiResponses = {
  matches: (path) => path.endsWith('/responses'),

  read({ instructions = '', input = [], tools = [] }) {
    const items = typeof input === 'string' ? [{ type: 'message', content: input }] : input
    return {
      tools: tools.flatMap(readTool),
      text: [instructions, ...items.filter(({ role }) => role).map(({ content }) => textOf(content))].join('\n'),
      results: items
        .filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
        .map(({ call_id: id, output }) => ({ id, isError: false, blocks: readContent(output) })),
    }
  },

  send(response, body, { text, call }) {
    const item = call ? callItem(body, call) : messageItem(text)
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    }
    const whole = {
      id: 'resp_judge',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: body.model,
      output: [item],
      usage,
    }
    if (!body.stream) {
      sendJson(response, whole)
      return
    }
    const begun = { ...whole, status: 'in_progress', output: [], usage: null }
    const events = [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      ...(call ? argumentEvents(item) : textEvents(item, text)),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ]
    sendEvents(
      response,
      events.map((event, sequence_number) => ({ ...event, sequence_number })),
      { named: true },
    )
  },
}

/**
 * Codex's code mode, which its default model uses: one tool, `exec`, runs JavaScript, and the tools of servers are functions
 * in there. The script calls the tool and shows each block of the result.
 */
export const openaiResponsesCodeMode = {
  ...openaiResponses,

  read(body) {
    const added = body.input.filter(({ type }) => type === 'additional_tools').flatMap(({ tools }) => tools)
    return { ...openaiResponses.read(body), tools: added.flatMap(readTool) }
  },

  offers: ({ tools }) => tools.some(({ name }) => name === 'functions.exec'),

  send(response, body, reply) {
    openaiResponses.send(
      response,
      body,
      reply.call ? { ...reply, call: { ...reply.call, script: codeFor(reply.call) } } : reply,
    )
  },
}

function codeFor({ name, input }) {
  return `const result = await tools.${name}(${JSON.stringify(input)})
for (const block of result.content) {
  if (block.type === 'image') image(block)
  else text(block.text)
}`
}

/** A tool in a namespace is called `<namespace>.<tool>` here. */
function readTool(definition) {
  if (definition.type !== 'namespace') return [{ name: definition.name ?? definition.type, definition }]
  return definition.tools.map((tool) => ({ name: `${definition.name}.${tool.name}`, definition: tool }))
}

function messageItem(text) {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: 'msg_judge', role: 'assistant', status: 'completed', content }
}

function callItem(body, { id, name, input, script }) {
  const item = { id: `fc_${id}`, call_id: id, status: 'completed' }
  if (script) return { type: 'custom_tool_call', ...item, namespace: 'functions', name: 'exec', input: script }
  return { type: 'function_call', ...item, ...splitName(body, name), arguments: JSON.stringify(input) }
}

function splitName({ tools = [] }, name) {
  const space = tools.find((tool) => tool.type === 'namespace' && name.startsWith(`${tool.name}.`))
  return space ? { namespace: space.name, name: name.slice(space.name.length + 1) } : { name }
}

function argumentEvents({ id, arguments: text }) {
  if (text === undefined) return []
  return [
    { type: 'response.function_call_arguments.delta', item_id: id, output_index: 0, delta: text },
    { type: 'response.function_call_arguments.done', item_id: id, output_index: 0, arguments: text },
  ]
}

function textEvents({ id }, text) {
  const place = { item_id: id, output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [] }
  return [
    { type: 'response.content_part.added', ...place, part },
    { type: 'response.output_text.delta', ...place, delta: text },
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.content_part.done', ...place, part: { ...part, text } },
  ]
}

function textOf(content) {
  return readContent(content)
    .map(({ text }) => text ?? '')
    .join('\n')
}

function readContent(content) {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (content ?? []).map((part) => {
    if (typeof part.text === 'string') return { type: 'text', text: part.text }
    const [, mimeType, data] = /^data:([^;]+);base64,(.*)$/s.exec(part.image_url ?? '') ?? []
    return data ? { type: 'image', mimeType, data } : part
  })
}
