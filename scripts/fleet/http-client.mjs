// Bounded HTTP for the clients of the fleet: one request on a connection of its own with its whole answer, or a stream of
// events. Nothing is repeated or repaired.

import { request } from 'node:http'

import { withLimit } from './wait.mjs'

const MAX_BYTES = 4 * 2 ** 20
const MAX_EVENTS = 20_000

/** A request that got no whole answer; `wasSent` says whether a byte of it may have arrived. */
export class BrokenRequest extends Error {
  constructor(message, wasSent, status) {
    super(message)
    this.wasSent = wasSent
    this.status = status
  }
}

/** Resolves to status, headers, text and, where it is JSON or ends with an event, the message in it. */
export async function sendRequest(url, { limitMs = 100_000, ...asked }) {
  const { response, destroy } = await open(url, { limitMs, ...asked })
  try {
    const text = await withLimit('the answer', limitMs, readAll(response))
    const isStream = response.headers['content-type'] === 'text/event-stream'
    const body = isStream ? (parseEvents(text).events.at(-1)?.data ?? '') : text
    return { status: response.statusCode, headers: response.headers, text, json: parse(body) }
  } catch (error) {
    throw new BrokenRequest(`the answer broke off: ${error.message}`, true, response.statusCode)
  } finally {
    destroy()
  }
}

/** A stream of events; `message(fits)` resolves to the next unread message that fits. */
export async function openStream(url, asked) {
  const { response, destroy } = await open(url, { method: 'GET', limitMs: 10_000, ...asked })
  const events = []
  const waiting = new Set()
  let [rest, isOver] = ['', false]
  const wake = () => waiting.forEach((resume) => resume())
  response.on('data', (chunk) => {
    const parsed = parseEvents(rest + chunk)
    rest = parsed.rest
    events.push(...parsed.events)
    if (events.length > MAX_EVENTS) destroy()
    wake()
  })
  response.on('error', () => {})
  response.on('close', () => {
    isOver = true
    wake()
  })
  let taken = 0
  async function next(fits) {
    for (;;) {
      while (taken < events.length) {
        const event = events[taken++]
        if (fits(event)) return event
      }
      if (isOver) throw new BrokenRequest(`the stream ended${lastNotice(events)}`, true, response.statusCode)
      await new Promise((resume) => {
        const once = () => {
          waiting.delete(once)
          resume()
        }
        waiting.add(once)
      })
    }
  }
  return {
    status: response.statusCode,
    headers: response.headers,
    events,
    isOver: () => isOver,
    /** What is no event: the text of a refusal. */
    async refusal() {
      for (;;) {
        if (isOver) return rest
        await new Promise((resume) => waiting.add(resume))
      }
    },
    next: (limitMs = 10_000, fits = () => true) => withLimit('the next event', limitMs, next(fits)),
    message: async (fits = () => true, limitMs = 10_000) => {
      const hasMessage = ({ data }) => {
        const message = parse(data)
        return message !== undefined && fits(message)
      }
      return parse((await withLimit('the next message', limitMs, next(hasMessage))).data)
    },
    close: destroy,
  }
}

/** What the last event says, if it is a message for the log. */
function lastNotice(events) {
  const { method, params } = parse(events.at(-1)?.data ?? '') ?? {}
  return method === 'notifications/message' ? `: ${params.data}` : ''
}

function open(url, { method = 'POST', path = '/mcp', headers = {}, token, body, limitMs }) {
  const { hostname, port } = new URL(url)
  const all = {
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
  }
  let isConnected = false
  const call = request({ host: hostname, port, path, method, headers: all, agent: false })
  const answered = new Promise((resolve, reject) => {
    call.on('response', resolve)
    call.on('error', (error) => reject(new BrokenRequest(error.message, isConnected)))
  })
  call.on('socket', (socket) => socket.once('connect', () => (isConnected = true)))
  call.end(body)
  return withLimit('an answer', limitMs, answered).then(
    (response) => ({ response, destroy: () => void call.destroy() }),
    (error) => {
      call.destroy()
      throw error instanceof BrokenRequest ? error : new BrokenRequest(error.message, isConnected)
    },
  )
}

async function readAll(response) {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`)
  }
  if (!response.complete) throw new Error('it is not complete')
  return text
}

function parseEvents(text) {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const events = blocks.filter((block) => !block.startsWith(':')).map(parseEvent)
  return { events, rest }
}

function parseEvent(block) {
  const fields = block.split('\n').map((line) => {
    const [name, ...value] = line.split(': ')
    return [name, value.join(': ')]
  })
  const { event, id, data = '' } = Object.fromEntries(fields)
  return { event, id, data }
}

function parse(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
