// The Anthropic Messages wire format: `POST /v1/messages`, streamed as server-sent events.
import { sendEvents, sendJson } from './http-replies.mjs'

export const anthropicMessages = {
  matches: (path) => path.endsWith('/v1/messages'),

  read(body) {
    const messages = body.messages ?? []
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    return {
      tools: (body.tools ?? []).map((definition) => ({ name: definition.name, definition })),
      text: [textOf(body.system), ...messages.map(({ content }) => textOf(content))].join('\n'),
      results: blocks.filter(({ type }) => type === 'tool_result').map(readResult),
    }
  },

  send(response, body, { text, call }) {
    const content = call
      ? { type: 'tool_use', id: call.id, name: call.name, input: call.input }
      : { type: 'text', text }
    const message = {
      id: 'msg_judge',
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [content],
      stop_reason: call ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    }
    if (body.stream) sendEvents(response, streamed(message, content), { named: true })
    else sendJson(response, message)
  },
}

function readResult({ tool_use_id: id, content, is_error: isError = false }) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return { id, isError, blocks: blocks.map(readBlock) }
}

function readBlock(block) {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type !== 'image') return block
  return { type: 'image', mimeType: block.source.media_type, data: block.source.data }
}

function textOf(content) {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('\n')
}

function streamed(message, content) {
  const start = content.type === 'text' ? { type: 'text', text: '' } : { ...content, input: {} }
  const delta =
    content.type === 'text'
      ? { type: 'text_delta', text: content.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(content.input) }
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: 'message_stop' },
  ]
}
