// Watches what this process sends over HTTP: every client here ends up in the global fetch, whatever its age. Also lends
// a token to the one client that has no way to send a header of its own.

/** One entry for each request of this process, in order; `status` and `type` appear with the answer. */
export const exchanges = []

/** A client puts its name here; the header does not leave this process. */
export const senderHeader = 'x-judge-sender'

const loans = new Map()
const plainFetch = globalThis.fetch

globalThis.fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input)
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
  const sender = headers.get(senderHeader)
  headers.delete(senderHeader)
  const token = loans.get(url.origin)
  if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
  const entry = {
    sender,
    method: init.method ?? 'GET',
    path: url.pathname,
    version: headers.get('mcp-protocol-version'),
    session: headers.get('mcp-session-id'),
    lastEventId: headers.get('last-event-id'),
  }
  exchanges.push(entry)
  const response = await plainFetch(input, { ...init, headers })
  entry.status = response.status
  entry.type = response.headers.get('content-type')
  entry.given = response.headers.get('mcp-session-id')
  return response
}

/** From now on whatever goes to this address without a token carries this one; undefined ends that. */
export function lendToken(url, token) {
  if (token) loans.set(new URL(url).origin, token)
  else loans.delete(new URL(url).origin)
}

export const describeExchange = ({ method, path, status, type, version, session, lastEventId }) =>
  [
    `= ${method} ${path} ${status ?? 'no answer'}`,
    type ?? '-',
    version && `version ${version}`,
    session && `session ${session.slice(0, 8)}`,
    lastEventId && `after ${lastEventId}`,
  ]
    .filter(Boolean)
    .join(', ')
