// The connection of a client to a server, independent of how messages travel: what client-connection.ts needs of
// program-transport.ts and http-transport.ts. Types only.

import type { Revision } from '../revisions/revision.js'

/** One message to the server. */
export interface OutgoingMessage {
  readonly text: string
  /** The id of a request; undefined for a notification or an answer. */
  readonly id: number | undefined
  readonly method: string | undefined
  /** Headers that repeat parameters of the message, for HTTP at the newest revision. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ClientTransport {
  /** Set once the revision is known. */
  revision: Revision | undefined
  /** Whether aborting the signal of `send` tells the server that the request is cancelled. */
  readonly cancelsByAbort: boolean
  /** Resolves to whether the response is over, so that no answer follows; rejects with a Failure. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<boolean>
  /** Receives notifications that belong to no request, where that needs a connection of its own. */
  listen?(): void
  close(): Promise<void>
}

/** What a transport reports. */
export interface TransportEvents {
  /** `requestId` is the request whose response carried the message, if the transport knows it. */
  onMessage(text: string, requestId: number | undefined): void
  /** No message can be sent any more; `reason` ends a sentence that begins with the name of the server. */
  onClose(reason: string): void
  /** Whether a request still waits for its answer. */
  isPending(requestId: number): boolean
}

export type OpenTransport = (events: TransportEvents) => ClientTransport
