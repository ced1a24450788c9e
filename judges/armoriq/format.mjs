// The ArmorIQ format, byte for byte: one event, one line of JSON, and nothing but text that is JSON in the content.
import assert from 'node:assert/strict'

/** The message in a response of the ArmorIQ format; throws at the first deviation from the format. */
export async function readEvent(response) {
  const body = await response.text()
  assert.equal(response.status, 200, `status ${response.status}: ${body.slice(0, 200)}`)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream\b/)
  const [, data] =
    /^event: message\ndata: (\{[^\n]*\})\n\n$/.exec(body) ??
    assert.fail(`the body is ${JSON.stringify(body.slice(0, 200))}`)
  return JSON.parse(data)
}

/** The values in the content of a tool result, each parsed from its text. */
export function readContent({ content }) {
  assert.ok(Array.isArray(content) && content.length > 0, 'content is not a list, or empty')
  return content.map((item) => {
    assert.equal(item.type, 'text')
    assert.equal(typeof item.text, 'string')
    return JSON.parse(item.text)
  })
}

/** Whether this text occurs anywhere in the values. */
export const mentions = (values, text) => JSON.stringify(values).includes(JSON.stringify(text).slice(1, -1))
