// The calls of a server as a console uses them: in this process (createFeedCalls), or over the socket, on both of its
// ends (parseCallRequest and answerCallRequest, requestCalls). Used by server-feed, console-socket and
// feed-connections. Reads the log, the recorder and the history of calls; a rerun runs a tool.

import type { JsonObject } from '@scorpiox/mcp/json/json'
import { Failure } from '@scorpiox/mcp/errors'
import type { CallLog } from '@scorpiox/mcp/server/call-log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { CallView, RecordedCall } from '@scorpiox/server/calls/recorded-call'
import type { CallHistory, DeferredCallRecorder } from '@scorpiox/server/features/history/index'
import { buildCallView, buildRunningDetails, type CallSource } from '@scorpiox/server/features/history/lazy'
import { createCallRerunner } from './rerun-call.js'

const MAX_ID = 100
const MAX_TEXT = 1000
/** A rerun that takes longer is shown while it runs. */
const RERUN_WAIT_MS = 1500

export interface FeedCalls {
  /** Undefined if this server has no such call any more. */
  find(id: string): Promise<RecordedCall | undefined>
  /** The calls in the memory of this server that contain a text. */
  search(text: string): Promise<readonly CallView[]>
  /** Runs the call again as the user; it may still run when it is returned. */
  rerun(id: string): Promise<RecordedCall>
}

export interface FeedCallsDeps {
  readonly callLog: CallLog
  readonly recorder: DeferredCallRecorder
  readonly history: () => Promise<CallHistory>
  /** Undefined while the server is created. */
  readonly mcpServer: () => McpServer | undefined
  readonly sourceFor: (user: string) => CallSource
}

export type CallsOfUser = FeedCalls & { readonly list: () => readonly CallView[] }

/** For the users of one server. */
export function createFeedCalls(deps: FeedCallsDeps): (user: string) => CallsOfUser {
  const { callLog, recorder, history, mcpServer, sourceFor } = deps
  const rerunner = createCallRerunner({ callLog, mcpServer })

  async function find(user: string, id: string): Promise<RecordedCall | undefined> {
    const { server } = sourceFor(user)
    const recorded = (await recorder.open()).find(user, id)
    if (recorded) return recorded
    const number = id.startsWith(`${server}.`) ? Number(id.slice(server.length + 1)) : Number.NaN
    const running = callLog.findRunning(user, number)
    if (running) return buildRunningDetails(running, sourceFor(user))
    const opened = await history()
    return opened.isKept ? opened.find(user, id) : undefined
  }

  return (user) => ({
    list: () => callLog.forUser(user).map((call) => buildCallView(call, sourceFor(user))),
    find: (id) => find(user, id),
    search: async (text) => (await recorder.open()).search(user, text),
    async rerun(id) {
      const recorded = await find(user, id)
      if (!recorded) throw new Failure('This call is no longer kept, so it cannot be run again.')
      const started = await rerunner.run(user, recorded, RERUN_WAIT_MS)
      const { call } = buildRunningDetails({ summary: started, input: undefined }, sourceFor(user))
      const found = await find(user, call.id)
      if (found) return found
      throw new Failure('The call has run, but its result is no longer kept.')
    },
  })
}

export type CallRequest =
  | { readonly verb: 'find-call'; readonly call: string }
  | { readonly verb: 'rerun'; readonly call: string }
  | { readonly verb: 'search-calls'; readonly text: string }

export function parseCallRequest(verb: unknown, { call, text }: JsonObject): CallRequest | undefined {
  if (verb === 'search-calls') return typeof text === 'string' && text.length <= MAX_TEXT ? { verb, text } : undefined
  if (verb !== 'find-call' && verb !== 'rerun') return undefined
  return typeof call === 'string' && call.length <= MAX_ID ? { verb, call } : undefined
}

export interface CallReply {
  /** Reply to `find-call` and `rerun`; absent if there is no such call. */
  readonly call?: RecordedCall
  /** Reply to `search-calls`. */
  readonly calls?: readonly CallView[]
}

export async function answerCallRequest(calls: FeedCalls, request: CallRequest): Promise<CallReply> {
  if (request.verb === 'search-calls') return { calls: await calls.search(request.text) }
  const call = request.verb === 'rerun' ? await calls.rerun(request.call) : await calls.find(request.call)
  return call ? { call } : {}
}

/** The calls of a server at the other end of a socket. */
export function requestCalls(send: (request: CallRequest) => Promise<CallReply>): FeedCalls {
  return {
    // The server would disconnect a console that sends a longer one.
    find: async (call) => (call.length > MAX_ID ? undefined : (await send({ verb: 'find-call', call })).call),
    search: async (text) => (await send({ verb: 'search-calls', text })).calls ?? [],
    async rerun(id) {
      const { call } = await send({ verb: 'rerun', call: id })
      if (call) return call
      throw new Failure('The server of this call runs another version of scorpiox-code: restart its client.')
    },
  }
}
