// Runs a recorded call again as the person who looks at it: in a session of the console, so that permissions, plan mode
// and the sandbox apply as to any call, it is recorded, and only the person sees its result. Used by feed-calls.ts. Runs
// tools through the server; sets timers.

import { setTimeout as pause } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { tryParseJson } from '@scorpiox/mcp/json/json'
import { deliverAnswer, type PendingAnswer } from '@scorpiox/mcp/jsonrpc/message'
import { MODERN_REVISION } from '@scorpiox/mcp/revisions/revision'
import type { CallLog, CallSummary } from '@scorpiox/mcp/server/call-log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import { createSession } from '@scorpiox/mcp/session/session'
import type { RecordedCall } from '@scorpiox/server/calls/recorded-call'
import { CONSOLE_SESSION } from '@scorpiox/server/sessions/console-session'
import { VERSION } from '@scorpiox/server/config/version'

/** Tools that do something for the model of a session only, or for a view inside its chat. */
const TOOLS_FOR_MODELS: ReadonlyMap<string, string> = new Map([
  ['AskUserQuestion', 'AskUserQuestion asks you on behalf of a model, and no model would receive the answer.'],
  ['PlanMode', 'PlanMode starts and ends the plan of a model. You decide on plans where they are shown.'],
  ['SetCallback', 'SetCallback sends a message to the model that has set it, and no model would receive it.'],
  [
    'AnswerInView',
    'AnswerInView belongs to a view inside the chat of a model. You answer questions where they are shown.',
  ],
  [
    'ChangeTaskInView',
    'ChangeTaskInView belongs to a view inside the chat of a model. You change tasks where they are shown.',
  ],
])

export function isToolForModels(tool: string): boolean {
  return TOOLS_FOR_MODELS.has(tool)
}

/** Of one user. */
const MAX_CONCURRENT = 4

export interface CallRerunner {
  /** Rejects with a Failure if the call cannot be run again. Resolves when it has ended, or after a time. */
  run(user: string, recorded: RecordedCall, waitMs: number): Promise<CallSummary>
}

export interface CallRerunnerDeps {
  readonly callLog: CallLog
  readonly mcpServer: () => McpServer | undefined
}

export function createCallRerunner({ callLog, mcpServer }: CallRerunnerDeps): CallRerunner {
  const running = new Map<string, number>()

  async function runCall(server: McpServer, user: string, { call, input }: RecordedCall, waitMs: number) {
    const session = createSession(server, { user, session: CONSOLE_SESSION }, { isStateless: true })
    const params = { name: call.tool, arguments: tryParseJson(input), _meta: CLIENT }
    const request = { kind: 'request', id: '1', method: 'tools/call', params, progressToken: undefined } as const
    const pendingAnswer = session.receive(request, { notify() {} })
    const id = callLog.lastId
    const answered = finish(pendingAnswer)
    await Promise.race([answered, pause(waitMs, undefined, { ref: false })])
    return { id, answered }
  }

  function count(user: string, change: number): void {
    const left = (running.get(user) ?? 0) + change
    if (left > 0) running.set(user, left)
    else running.delete(user)
  }

  return {
    async run(user, recorded, waitMs) {
      const { call, inputOmitted } = recorded
      const reason = TOOLS_FOR_MODELS.get(call.tool)
      if (reason !== undefined) throw new Failure(reason)
      if (inputOmitted > 0)
        throw new Failure('The arguments of this call are not kept completely, so it cannot be run again.')
      const server = mcpServer()
      if (!server) throw new Failure('The server has not started yet; try again in a moment.')
      if ((running.get(user) ?? 0) >= MAX_CONCURRENT)
        throw new Failure(`${MAX_CONCURRENT} calls that you have run again are still running; wait for one of them.`)
      count(user, 1)
      const { id, answered } = await runCall(server, user, recorded, waitMs)
      void answered.finally(() => count(user, -1))
      const found = callLog.findRunning(user, id)?.summary ?? callLog.forUser(user).find((each) => each.id === id)
      if (found) return found
      throw new Failure('The call has run, but its result is no longer kept.')
    },
  }
}

const CLIENT = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'console', version: VERSION },
}

async function finish(pendingAnswer: PendingAnswer): Promise<void> {
  deliverAnswer(
    await pendingAnswer,
    () => {},
    () => true,
  )
}
