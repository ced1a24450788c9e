// A model on loopback that follows a script. The script is an async generator: it yields the next tool call and receives
// the result that the client put into its following request, so a scenario reads from top to bottom.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from './http-replies.mjs'

/** The prompt that starts a session; a request without it is not part of the script (titles, summaries). */
export const prompt = 'Follow the script of the judge.'

/** A busy machine may need a minute to start a server. */
const MAX_LOADS = 300

/**
 * @param {object} options
 * @param {object} options.format one of the wire formats beside this file
 * @param {(tool: string) => string} options.toolName how the client names our tool
 * @param {() => AsyncGenerator<{ tool: string, input: object }, void, object>} options.script
 * @param {(blocks: object[]) => object[]} [options.received] takes away what the client adds to a result
 * @param {{ name: string, input: object }} [options.toolLoader] the call after which our tools are there, where the client
 *   defers them or does not wait until the server has started
 * @returns the model's address, everything it was sent, and `finished`, which resolves when the script is at its end
 */
export async function startScriptedModel({ format, toolName, script, received = (blocks) => blocks, toolLoader }) {
  const requests = []
  const steps = script()
  let reply
  let calls = 0
  let loads = 0
  let queue = Promise.resolve()
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })

  /** The reply to one request of the script. A repeated request (the client lost the answer) gets the same reply again. */
  async function next(turn) {
    const result = reply?.call && turn.results.findLast(({ id }) => id === reply.call.id)
    if (reply && !result) return reply
    const { value, done } = await steps.next(result && { ...result, blocks: received(result.blocks) })
    reply = done
      ? { text: 'The script is finished.' }
      : { call: { id: `call_${++calls}`, name: toolName(value.tool), input: value.input } }
    if (done) finish()
    return reply
  }

  async function answer(request, response) {
    const path = new URL(request.url ?? '/', 'http://model').pathname
    let text = ''
    for await (const chunk of request) text += chunk
    if (request.method !== 'POST' || !format.matches(path)) {
      requests.push({ method: request.method, path, ignored: true })
      sendJson(response, { data: [], models: [] }, request.method === 'GET' ? 200 : 404)
      return
    }
    const body = JSON.parse(text)
    const turn = format.read(body, path)
    const scripted = turn.text.includes(prompt) && turn.tools.length > 0
    requests.push({ method: request.method, path, body, turn, ignored: !scripted })
    const offered = format.offers?.(turn) ?? turn.tools.some(({ name }) => name === toolName('Bash'))
    if (!scripted) format.send(response, body, { text: 'Judge' }, path)
    else if (!offered && toolLoader && loads < MAX_LOADS) {
      if (loads > 0) await delay(200)
      format.send(response, body, { call: { id: `load_${++loads}`, ...toolLoader } }, path)
    } else if (!offered) format.send(response, body, { text: 'The tools of the server are missing.' }, path)
    else format.send(response, body, await next(turn), path)
  }

  const server = createServer((request, response) => {
    queue = queue
      .then(() => answer(request, response))
      .catch((error) => sendJson(response, { error: String(error) }, 500))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    finished,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
