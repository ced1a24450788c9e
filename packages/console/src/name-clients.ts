// Adds to a view which client each item comes from, and which clients each server has, as far as it is known. Used by
// view-sender.ts. No I/O of its own.

import type { SessionClients, SessionItem } from './session-clients.js'
import type { ClientOrigin, ConsoleView, QuestionView } from './view.js'

const COMMAND_TOOLS = ['Bash', 'BackgroundBash']

export function nameClients(view: ConsoleView, clients: SessionClients): ConsoleView {
  const name = <T extends ClientOrigin>(item: T, call?: Omit<SessionItem, 'session'>): T => {
    return { ...item, client: clients.find({ session: item.session, ...call }) }
  }
  return {
    ...view,
    servers: view.servers.map((server) => ({ ...server, clients: clients.listOfServer(server.id) })),
    // A job may ask for a password at any time, and a callback fires at any time.
    secrets: view.secrets.map((secret) => name(secret)),
    messages: view.messages.map((message) => name(message)),
    approvals: view.approvals.map((approval) => name(approval, { at: approval.requestedAt, tools: ['PlanMode'] })),
    questions: view.questions.map((question) =>
      name(question, { at: question.askedAt, tools: toolsThatAsk(question) }),
    ),
    callbacks: view.callbacks.map((callback) => name(callback, { at: callback.setAt, tools: ['SetCallback'] })),
    jobs: view.jobs.map((job) => name(job, { at: job.startedAt, tools: COMMAND_TOOLS })),
  }
}

/** An approval is asked for by what it permits. */
function toolsThatAsk({ questions }: QuestionView): readonly string[] {
  return questions.some(({ isApproval }) => isApproval === true) ? COMMAND_TOOLS : ['AskUserQuestion']
}
