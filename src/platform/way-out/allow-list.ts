// Parses FETCH_ALLOW: hosts by the name or address used in URLs, each with one port. An entry of any other form allows
// nothing and causes a warning: guessing its meaning could allow more than was intended.

import { isBadPort, printDestination, type Destination } from './web-url.js'

export interface AllowList {
  has(destination: Destination): boolean
  /** About entries that allow nothing. */
  readonly complaints: readonly string[]
}

export function readAllowList(text: string): AllowList {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const parsed = entries.map((entry) => parseEntry(entry))
  const listed = new Set(parsed.flatMap((entry) => (typeof entry === 'string' ? [] : [printDestination(entry)])))
  return {
    has: (destination) => listed.has(printDestination(destination)),
    complaints: parsed.filter((entry) => typeof entry === 'string'),
  }
}

function parseEntry(entry: string): Destination | string {
  const quoted = JSON.stringify(entry.slice(0, 100))
  const [, hostText = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+):(\d{1,5})$/i.exec(entry) ?? []
  const port = Number(digits)
  if (hostText === '') {
    return `FETCH_ALLOW: ${quoted} allows nothing: it must be a host and a port, such as localhost:3000 or [::1]:8080.`
  }
  if (port > 65_535 || isBadPort(port)) return `FETCH_ALLOW: ${quoted} allows nothing: port ${port} cannot be fetched.`
  if (!URL.canParse(`http://${hostText}`)) return `FETCH_ALLOW: ${quoted} allows nothing: its host is not one.`
  const host = new URL(`http://${hostText}`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return { host, port }
}
