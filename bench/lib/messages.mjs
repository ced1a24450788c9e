// The requests every subject gets, and the check that what came back is really the answer.

const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const SMALL_TEXT = 'the quick brown fox'
// More requests than can ever be under way, so that no id is used twice at the same time.
const RING_SIZE = 16_384
const FIRST_ID = 100_000

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } },
}
export const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) + '\n'
export const listTools = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
export const listToolsModern = {
  ...listTools,
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    },
  },
}

export const callEcho = (id, text = SMALL_TEXT) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text } },
})

let ring

const makeRing = () => {
  const lines = Array.from({ length: RING_SIZE }, (_, index) => JSON.stringify(callEcho(FIRST_ID + index)) + '\n')
  return Buffer.from(lines.join(''))
}

/** Small calls without end, as slices of one buffer: handing them out makes no string and no object. */
export const smallCalls = () => {
  ring ??= makeRing()
  const width = ring.length / RING_SIZE
  let next = 0
  return {
    take(count) {
      const end = next + count
      const slices = [ring.subarray(next * width, Math.min(end, RING_SIZE) * width)]
      if (end > RING_SIZE) slices.push(ring.subarray(0, (end - RING_SIZE) * width))
      next = end % RING_SIZE
      return slices
    },
  }
}

/** One call with `size` bytes of text; only its id changes, in place, since copying megabytes takes time. */
export const largeCall = (size) => {
  const text = 'x'.repeat(size)
  const bytes = Buffer.from(JSON.stringify(callEcho(FIRST_ID, text)) + '\n')
  const idAt = bytes.indexOf(String(FIRST_ID))
  return {
    text,
    line(number) {
      bytes.write(String(FIRST_ID + number), idAt)
      return bytes
    },
  }
}

const echoedText = (line) => JSON.parse(line).result?.content?.[0]?.text

export const expectEcho = (line, text = SMALL_TEXT) => {
  if (echoedText(line) !== text) throw new Error(`not an echo: ${line.slice(0, 300)}`)
}

export const expectFirstAndLastEcho = ({ first, last }) => {
  expectEcho(first.toString().split('\n')[0])
  expectEcho(last.toString().trimEnd().split('\n').at(-1))
}

export const expectResult = (reply, field) => {
  if (reply.result?.[field] === undefined) throw new Error(`no ${field} in ${JSON.stringify(reply).slice(0, 300)}`)
  return reply.result[field]
}
