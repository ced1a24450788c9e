// The Gemini wire format: `POST /v1beta/models/<model>:generateContent`, or `:streamGenerateContent` for events.
import { sendEvents, sendJson } from './http-replies.mjs'

export const gemini = {
  matches: (path) => /:(?:stream)?generateContent$/i.test(path),

  read({ systemInstruction, contents = [], tools = [] }) {
    const sent = contents.flatMap(({ parts = [] }) => parts)
    const definitions = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    return {
      tools: definitions.map((definition) => ({ name: definition.name, definition })),
      text: [...(systemInstruction?.parts ?? []), ...sent].map(({ text }) => text ?? '').join('\n'),
      results: readResults(sent),
    }
  },

  send(response, body, { text, call }, path) {
    const part = call ? { functionCall: { id: call.id, name: call.name, args: call.input } } : { text }
    const candidate = { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [part] } }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 }
    const answer = { candidates: [candidate], usageMetadata, modelVersion: 'judge', responseId: 'judge' }
    if (path.endsWith(':streamGenerateContent')) sendEvents(response, [answer])
    else sendJson(response, answer)
  },
}

/** An image comes inside the response, or as a part after it; then it counts for the response before it. */
function readResults(parts) {
  const results = []
  for (const { functionResponse, inlineData } of parts) {
    if (functionResponse) {
      const { id, response = {}, parts: inner = [] } = functionResponse
      const text = response.output ?? response.error ?? JSON.stringify(response)
      const isError = response.error !== undefined
      results.push({ id, isError, blocks: [{ type: 'text', text: String(text) }, ...inner.flatMap(readImage)] })
    } else if (inlineData) {
      results.at(-1)?.blocks.push(...readImage({ inlineData }))
    }
  }
  return results
}

function readImage({ inlineData }) {
  return inlineData ? [{ type: 'image', mimeType: inlineData.mimeType, data: inlineData.data }] : []
}
