// Loads what calls need but the first answers do not: the schema compiler and the methods other than lifecycle and
// tools. A response that had to wait for them would become a stream, so such a message waits before it is handled.
// Created by http-context.ts, begun by http-server.ts, asked by mcp-endpoint.ts. Imports modules; no other effect.

import type { JsonRpcBatch, JsonRpcMessage } from '../jsonrpc/message.js'
import { loadFullCompiler } from '../json-schema/lazy-compile.js'
import { loadOptionalMethods } from '../methods/method-table.js'
import { loadOnce } from '../promises.js'

const FIRST_METHODS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'tools/list'])

export interface CallPreparation {
  /** Whether the message can be handled now. */
  isReadyFor(message: JsonRpcMessage | JsonRpcBatch): boolean
  /** Loads everything, once. */
  finish(): Promise<void>
}

export function createCallPreparation(): CallPreparation {
  let isFinished = false
  return {
    isReadyFor: (message) => isFinished || (message.kind === 'request' && FIRST_METHODS.has(message.method)),
    finish: loadOnce(async () => {
      await Promise.all([loadFullCompiler(), loadOptionalMethods()])
      isFinished = true
    }),
  }
}
