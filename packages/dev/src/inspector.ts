// What the page shows and does: the server under development over all its runs, the questions that wait, the wire and
// the output. A restart replaces the run; one that is requested during another follows it. Opened by run-dev.ts, served
// by inspector-http.ts. Starts processes through server-run.ts.

import type { JsonObject } from '@scorpiox/mcp/json/json'
import { SUPPORTED_REVISIONS } from '@scorpiox/mcp/revisions/revision'

import { createOutputLog } from './output-log.js'
import { createQuestionList } from './question-list.js'
import type { ServerCommand } from './server-command.js'
import { NO_OFFERS, type ServerRun, type ServerRunListener, startServerRun } from './server-run.js'
import type { InspectorEvent, InspectorRequest, InspectorState, RpcOutcome, ServerOffers } from './view.js'
import { createWireLog } from './wire-log.js'

export interface Inspector {
  /** Everything that a page needs when it is opened. */
  snapshot(): readonly InspectorEvent[]
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: InspectorEvent) => void): () => void
  request(request: InspectorRequest, signal: AbortSignal): Promise<RpcOutcome>
  /** False if the question is no longer open. */
  answer(questionId: number, outcome: RpcOutcome): boolean
  restart(): Promise<void>
  /** Restarts at this revision. */
  chooseRevision(revision: string): Promise<void>
  close(): Promise<void>
}

export function openInspector(command: ServerCommand, revision: string): Inspector {
  const listeners = new Set<(event: InspectorEvent) => void>()
  const wire = createWireLog()
  const output = createOutputLog()
  const questions = createQuestionList((open) => update({ questions: open }))
  let offers: ServerOffers = NO_OFFERS
  let state: InspectorState = {
    command: command.label,
    revisions: SUPPORTED_REVISIONS,
    revision,
    status: 'starting',
    problem: undefined,
    server: undefined,
    questions: [],
    run: 0,
  }
  let run: ServerRun | undefined
  let restarting: Promise<void> | undefined
  let isRestartNeeded = false
  let isClosed = false

  function emit(event: InspectorEvent): void {
    for (const listener of listeners) listener(event)
  }

  function update(change: Partial<InspectorState>): void {
    state = { ...state, ...change }
    emit({ type: 'state', state })
  }

  function addLine(text: string, isNote: boolean): void {
    emit({ type: 'output', lines: [output.add(state.run, text, isNote)] })
  }

  function listenerOf(number: number): ServerRunListener {
    return {
      onMessage(isSent, text, message) {
        emit({ type: 'wire', entries: [wire.add(isSent, number, text, message)] })
        if (message === undefined && !isSent)
          addLine(`Not a message: ${text.slice(0, 200)}. stdout belongs to the protocol; print to stderr.`, true)
      },
      onErrorLine: (text) => addLine(text, false),
      onConnected: (server) => update({ status: 'ready', server, problem: undefined }),
      onOffers(listed) {
        offers = listed
        emit({ type: 'offers', offers })
      },
      onProblem(message, isFinal) {
        questions.clear()
        const problem = { message, output: output.tailOf(number) }
        update(isFinal ? { status: 'failed', problem } : { problem })
      },
      onQuestion: (method, params, signal) => questions.ask(method, params, signal),
      onNotification: (method, params) => reportNotification(method, params, emit),
    }
  }

  async function replaceRun(): Promise<void> {
    do {
      isRestartNeeded = false
      await run?.stop()
      if (isClosed) return
      questions.clear()
      update({ status: 'starting', problem: undefined, run: state.run + 1 })
      run = startServerRun(command, state.revision, listenerOf(state.run))
    } while (isRestartNeeded)
  }

  function restart(): Promise<void> {
    isRestartNeeded = true
    restarting ??= replaceRun().finally(() => (restarting = undefined))
    return restarting
  }

  return {
    snapshot: () => [
      { type: 'state', state },
      { type: 'offers', offers },
      { type: 'wire', entries: [...wire.entries()] },
      { type: 'output', lines: [...output.lines()] },
    ],
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async request({ callId, method, params }, signal) {
      if (run === undefined || state.status !== 'ready')
        return { error: { code: -32000, message: 'The server is not ready; try again when it is.' } }
      return run.request(method, params, { progressToken: callId, signal })
    },
    answer: (questionId, outcome) => questions.answer(questionId, outcome),
    restart,
    async chooseRevision(chosen) {
      update({ revision: chosen })
      await restart()
    },
    async close() {
      isClosed = true
      await restarting
      await run?.stop()
    },
  }
}

/** Progress and log messages are shown beside the call; others on the wire only. */
function reportNotification(method: string, params: JsonObject, emit: (event: InspectorEvent) => void): void {
  if (method === 'notifications/progress') {
    const { progressToken, progress, total, message } = params
    emit({
      type: 'progress',
      callId: String(progressToken),
      progress: Number(progress),
      total: typeof total === 'number' ? total : undefined,
      message: typeof message === 'string' ? message : '',
    })
  } else if (method === 'notifications/message') {
    const { level, logger, data } = params
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    emit({ type: 'log', level: String(level), text: typeof logger === 'string' ? `${logger}: ${text}` : text })
  }
}
