// mcp-remote between a client that only knows stdio and the server: what crosses it must arrive as if it were not there.
import { resolve } from 'node:path'
import { modern, periodClients } from '../shared/session.mjs'

const bridge = resolve(import.meta.dirname, '../node_modules/mcp-remote/dist/proxy.js')
const named = (label) => periodClients.find((client) => client.label === label)

/** Which client over which way; through `--protocol auto` the bridge itself speaks the modern era to the server. */
export const crossings = [
  { label: 'sdk 1.12.3', client: named('sdk 1.12.3'), options: [] },
  { label: 'sdk 1.24.3', client: named('sdk 1.24.3'), options: [] },
  { label: 'client 2.4.0 legacy', client: named('client 2.4.0 legacy'), options: [] },
  { label: 'client 2.4.0 auto', client: named('client 2.4.0 auto'), options: [] },
  { label: 'client 2.4.0 modern', client: named('client 2.4.0 modern'), options: [] },
  {
    label: 'sdk 1.24.3, translated to modern',
    client: named('sdk 1.24.3'),
    options: ['--protocol', 'auto'],
    translated: true,
  },
  {
    label: 'sdk 1.24.3 over an event stream',
    client: named('sdk 1.24.3'),
    options: ['--transport', 'sse-only'],
    path: '/sse',
  },
]

/** How to start the bridge as the server of a stdio client. */
export function bridgeTo({ url, token }, { options, path }) {
  const address = path ? new URL(path, url).href : url
  const auth = token ? ['--header', `Authorization: Bearer ${token}`] : []
  return { command: process.execPath, args: [bridge, address, '--allow-http', ...auth, ...options] }
}

// What the bridge does not carry, and no server can make up for. It answers for its own exit. To a modern server it brings
// `notifications/cancelled` as a message, whereas that era cancels by closing the request. Translating, it leaves modern fields and
// error codes as they are.
const onlyStdio = ['clean close']
const onlyLegacy = ['cancel', 'nothing after the end of the subscription']
const onlyUntranslated = ['every line on the wire', 'reading what is not there']

/** The checks that apply to a crossing. */
export function carried(checks, { client, translated }) {
  const isModern = translated || client.revision === modern
  const left = new Set([...onlyStdio, ...(isModern ? onlyLegacy : []), ...(translated ? onlyUntranslated : [])])
  return checks.filter(([label]) => !left.has(label))
}
