// Keep-alive agents of Node.js over connections of the connector. A connection is reused only for the host and port it
// was opened for.

import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as SecureAgent, type RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'

import type { Destination } from './web-url.js'

const LIMITS: AgentOptions = { maxFreeSockets: 4, timeout: 20_000 }

export interface KeepAliveOptions {
  readonly keepAlive: boolean
}

/** Opens the connection that a request to this host and port is sent on. */
type OpenConnection = (destination: Destination) => Promise<Duplex>

type OnOpened = (error: Error | null, stream: Duplex) => void

export class GuardedAgent extends Agent {
  constructor(
    options: KeepAliveOptions,
    readonly open: OpenConnection,
  ) {
    super({ ...LIMITS, ...options })
  }
  override createConnection(request: ClientRequestArgs, opened?: OnOpened): undefined {
    openAgentConnection(this.open, request, opened)
  }
}

export class GuardedTlsAgent extends SecureAgent {
  constructor(
    options: KeepAliveOptions,
    readonly open: OpenConnection,
  ) {
    super({ ...LIMITS, ...options })
  }
  override createConnection(request: RequestOptions, opened?: OnOpened): undefined {
    openAgentConnection(this.open, request, opened)
  }
}

function openAgentConnection(
  open: OpenConnection,
  { host, port }: ClientRequestArgs,
  opened: OnOpened = () => {},
): void {
  open({ host: host ?? '', port: Number(port) }).then(
    (stream) => opened(null, stream),
    // The stream is ignored if there is an error.
    (error: unknown) => opened(error instanceof Error ? error : new Error(String(error)), new Duplex()),
  )
}
