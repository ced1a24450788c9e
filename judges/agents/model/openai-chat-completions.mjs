// The OpenAI Chat Completions wire format: `POST …/chat/completions`.
import { sendEvents, sendJson } from './http-replies.mjs'

export const openaiChatCompletions = {
  matches: (path) => path.endsWith('/chat/completions'),

  read({ messages = [], tools = [] }) {
    return {
      tools: tools.map((definition) => ({ name: definition.function?.name, definition })),
      text: messages
        .filter(({ role }) => role !== 'tool' && role !== 'assistant')
        .map(({ content }) =>
          readContent(content)
            .map(({ text }) => text ?? '')
            .join('\n'),
        )
        .join('\n'),
      results: readResults(messages),
    }
  },

  send(response, body, { text, call }) {
    const [message, reason] = call
      ? [{ role: 'assistant', content: null, tool_calls: [toolCall(call)] }, 'tool_calls']
      : [{ role: 'assistant', content: text }, 'stop']
    const head = { id: 'chatcmpl-judge', created: 1, model: body.model }
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    if (!body.stream) {
      const choices = [{ index: 0, message, finish_reason: reason }]
      sendJson(response, { ...head, object: 'chat.completion', choices, usage })
      return
    }
    const chunk = (delta, finish_reason = null) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const delta = call ? { ...message, tool_calls: [{ index: 0, ...toolCall(call) }] } : message
    const last = { ...chunk({}, reason), usage }
    sendEvents(response, [chunk(delta), last], { done: true })
  },
}

function toolCall({ id, name, input }) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

/** A tool message holds text only; clients put images into a user message after it. They count for the result before them. */
function readResults(messages) {
  const results = []
  for (const { role, tool_call_id: id, content } of messages) {
    if (role === 'tool') results.push({ id, isError: false, blocks: readContent(content) })
    else if (role === 'user')
      results.at(-1)?.blocks.push(...readContent(content).filter(({ type }) => type === 'image'))
  }
  return results
}

function readContent(content) {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (content ?? []).map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const [, mimeType, data] = /^data:([^;]+);base64,(.*)$/s.exec(part.image_url?.url ?? '') ?? []
    return data ? { type: 'image', mimeType, data } : part
  })
}
