// The questions of the server under development that wait for a person. Used by inspector.ts. In memory only.

import type { JsonObject } from '@scorpiox/mcp/json/json'

import type { RpcOutcome, ServerQuestion } from './view.js'

const MAX_QUESTIONS = 100
const REFUSED: RpcOutcome = { error: { code: -32000, message: `More than ${MAX_QUESTIONS} questions are open.` } }
const WITHDRAWN: RpcOutcome = { error: { code: -32000, message: 'The question is no longer open.' } }

export interface QuestionList {
  /** Resolves when it is answered, or when `signal` is aborted. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<RpcOutcome>
  /** False if it is not open. */
  answer(id: number, outcome: RpcOutcome): boolean
  clear(): void
}

interface OpenQuestion {
  readonly question: ServerQuestion
  readonly settle: (outcome: RpcOutcome) => void
}

export function createQuestionList(onChange: (open: readonly ServerQuestion[]) => void): QuestionList {
  const open = new Map<number, OpenQuestion>()
  let last = 0
  const report = (): void => onChange([...open.values()].map(({ question }) => question))

  function answer(id: number, outcome: RpcOutcome): boolean {
    const found = open.get(id)
    if (!found) return false
    open.delete(id)
    found.settle(outcome)
    report()
    return true
  }

  return {
    ask(method, params, signal) {
      if (open.size >= MAX_QUESTIONS) return Promise.resolve(REFUSED)
      const id = ++last
      return new Promise((resolve) => {
        open.set(id, { question: { id, method, params }, settle: resolve })
        signal.addEventListener('abort', () => answer(id, WITHDRAWN))
        report()
      })
    },
    answer,
    clear() {
      for (const id of open.keys()) answer(id, WITHDRAWN)
    },
  }
}
