// Node's pools of connections that stay open between requests, over roads of ours. A connection is used again only for
// the host and port it was opened for.

import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as SecureAgent, type RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'

import type { Destination } from './web-url.js'

const LIMITS: AgentOptions = { maxFreeSockets: 4, timeout: 20_000 }

export interface Habits {
  readonly keepAlive: boolean
}

/** Opens the connection that a request to this host and port is sent on. */
type Open = (destination: Destination) => Promise<Duplex>

type Opened = (error: Error | null, stream: Duplex) => void

export class RoadAgent extends Agent {
  constructor(
    habits: Habits,
    readonly open: Open,
  ) {
    super({ ...LIMITS, ...habits })
  }
  override createConnection(request: ClientRequestArgs, opened?: Opened): undefined {
    create(this.open, request, opened)
  }
}

export class SecureRoadAgent extends SecureAgent {
  constructor(
    habits: Habits,
    readonly open: Open,
  ) {
    super({ ...LIMITS, ...habits })
  }
  override createConnection(request: RequestOptions, opened?: Opened): undefined {
    create(this.open, request, opened)
  }
}

function create(open: Open, { host, port }: ClientRequestArgs, opened: Opened = () => {}): void {
  open({ host: host ?? '', port: Number(port) }).then(
    (stream) => opened(null, stream),
    // Nobody looks at the second one then.
    (error: unknown) => opened(error instanceof Error ? error : new Error(String(error)), new Duplex()),
  )
}
