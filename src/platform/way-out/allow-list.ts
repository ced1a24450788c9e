// What FETCH_ALLOW lists: hosts by the name or address they are asked for with, each with its one port. An entry that is
// not exactly that allows nothing and is complained of: to guess what was meant would open more than was said.

import { isBadPort, printDestination, type Destination } from './web-url.js'

export interface AllowList {
  has(destination: Destination): boolean
  /** About entries that allow nothing. */
  readonly complaints: readonly string[]
}

export function readAllowList(text: string): AllowList {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const read = entries.map((entry) => readEntry(entry))
  const listed = new Set(read.flatMap((entry) => (typeof entry === 'string' ? [] : [printDestination(entry)])))
  return {
    has: (destination) => listed.has(printDestination(destination)),
    complaints: read.filter((entry) => typeof entry === 'string'),
  }
}

function readEntry(entry: string): Destination | string {
  const shown = JSON.stringify(entry.slice(0, 100))
  const [, given = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+):(\d{1,5})$/i.exec(entry) ?? []
  const port = Number(digits)
  if (given === '') {
    return `FETCH_ALLOW: ${shown} allows nothing: it must be a host and a port, such as localhost:3000 or [::1]:8080.`
  }
  if (port > 65_535 || isBadPort(port)) return `FETCH_ALLOW: ${shown} allows nothing: port ${port} cannot be fetched.`
  if (!URL.canParse(`http://${given}`)) return `FETCH_ALLOW: ${shown} allows nothing: its host is not one.`
  const host = new URL(`http://${given}`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return { host, port }
}
