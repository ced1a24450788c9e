// Reads HTTP/1.1 responses from the pieces a socket hands over: by Content-Length or chunked, nothing more.

const HEAD_END = '\r\n\r\n'

/** Every socket reads into it: a piece is looked at, or copied, before the next one is read. */
export const sharedBuffer = Buffer.allocUnsafe(65_536)

export const headerOf = (head, name) => new RegExp(`^${name}: *([^\\r]*)`, 'im').exec(head)?.[1]

const unchunk = (bytes, from) => {
  const parts = []
  let at = from
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    const end = start + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end }
    parts.push(bytes.subarray(start, start + size))
    at = end
  }
}

/** The first response in `bytes`, or undefined while some of it is missing. */
export const readResponse = (bytes) => {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const status = Number(head.slice(9, 12))
  const from = headEnd + HEAD_END.length
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const chunked = unchunk(bytes, from)
    return chunked && { status, head, ...chunked }
  }
  const end = from + Number(headerOf(head, 'content-length') ?? 0)
  return bytes.length < end ? undefined : { status, head, body: bytes.subarray(from, end), end }
}

const parse = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON-RPC message a body holds, or undefined: the body itself, or the data of its last event that has any. */
export const messageOf = ({ head, body }) => {
  const text = body.toString()
  if (!/^content-type: *text\/event-stream/im.test(head)) return parse(text)
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:') && line.trim() !== 'data:')
  return parse(data.at(-1)?.slice(5) ?? '')
}
