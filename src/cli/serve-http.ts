// Runs the HTTP server until told to stop, and tells the person what to do next.

import { randomBytes } from 'node:crypto'

import type { Settings } from '../config/options.js'
import { Failure } from '../lib/failure.js'
import type { Server } from '../protocol/server.js'
import { isLoopback } from '../transport/gate.js'
import { listenHttp } from '../transport/http.js'
import { UsageError, type Flags } from './args.js'
import { connectionGuide } from './connect.js'
import { launch } from './self.js'
import { nextSignal, print } from './terminal.js'

export async function serveHttp(server: Server, settings: Settings, flags: Flags): Promise<void> {
  const host = flags.host ?? settings.HTTP_HOST
  if (!isLoopback(host)) {
    throw new UsageError(`${host} is not a loopback address; this version serves HTTP on loopback only`)
  }
  // Before anything is printed: who reads the greeting may signal at once.
  const stopped = nextSignal()
  const port = readPort(flags.port) ?? settings.HTTP_PORT
  const token = flags['no-auth'] ? undefined : settings.HTTP_TOKEN || randomBytes(24).toString('base64url')
  const listener = await listen(server, { host, port, token, maxBodyBytes: settings.MAX_LINE_BYTES })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}/mcp`
  const shown = settings.HTTP_TOKEN ? undefined : token
  await print(greeting(url, shown, token === undefined))
  await stopped
  await listener.close()
}

async function listen(server: Server, settings: Parameters<typeof listenHttp>[1]) {
  try {
    return await listenHttp(server, settings)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new UsageError(`port ${settings.port} is in use; choose another with --port`)
    }
    throw new Failure(
      `cannot listen on ${settings.host}:${settings.port}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function readPort(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined
  const port = /^\d{1,5}$/.test(flag) ? Number(flag) : Number.NaN
  if (port <= 65_535) return port
  throw new UsageError(`--port must be a number from 0 to 65535, got ${flag}`)
}

function greeting(url: string, token: string | undefined, open: boolean): string {
  const auth = token === undefined ? '' : ` -H 'Authorization: Bearer ${token}'`
  const request = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  return `
scorpiox-code serves MCP at ${url}
${token === undefined ? '' : `Token (new at each start; set HTTP_TOKEN to keep one): ${token}\n`}${open ? 'No token is asked for: everybody on this machine can run commands as you.\n' : ''}
Try it:
  curl -s ${url} -H 'Content-Type: application/json'${auth} -d '${request}'

To connect a client over stdio instead (no server to keep running), paste one of these:

${connectionGuide(launch())}
Stop with Ctrl+C.
`
}
