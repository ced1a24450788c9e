// Writes the answers of the scripted model: server-sent events, or one JSON body where the client does not stream.

/**
 * @param {object[]} events
 * @param {{ named?: boolean, done?: boolean }} options `named` adds an `event:` line with each event's type, `done` the closing `[DONE]`
 */
export function sendEvents(response, events, { named = false, done = false } = {}) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const event of events) {
    if (named) response.write(`event: ${event.type}\n`)
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(done ? 'data: [DONE]\n\n' : undefined)
}

export function sendJson(response, body, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
