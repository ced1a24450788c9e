// Reads what happened in a session, on one axis of time: its newest calls, the jobs it started, its questions, requests
// for approval, callbacks and messages. Used by user-console.ts. Reads the history and the database, and asks servers.

import { Failure } from '@scorpiox/mcp/errors'
import type { PastJob } from '@scorpiox/server/features/history/index'
import type { StateTables } from '@scorpiox/server/state'
import { toSingleLine } from '@scorpiox/server/text/format'
import { hasFailed } from './i18n/job-ending.js'
import { type CallSources, listCalls } from './call-list.js'
import type { CallView, JobView, SessionTimeline, TimelineEntry } from './view.js'

const MAX_CALLS = 300
const MAX_LABEL = 120

export interface TimelineSources extends CallSources {
  readonly readRows: (
    project: string,
    work: (rows: StateTables) => Promise<readonly TimelineEntry[]>,
  ) => Promise<readonly TimelineEntry[]>
}

export async function readTimeline(sources: TimelineSources, session: string): Promise<SessionTimeline> {
  const { calls, hasEarlier } = await readCalls(sources, session)
  const jobs = listJobs(sources, session)
  const past = sources.history.isKept ? await sources.history.listJobs(sources.user, session) : []
  const live = new Set(jobs.map(({ id, startedAt }) => `${id} ${startedAt}`))
  const others = past.filter(({ id, startedAt }) => !live.has(`${id} ${startedAt}`))
  const first = calls.at(-1)
  const project = first?.project ?? jobs[0]?.project ?? past[0]?.project
  if (project === undefined) throw new Failure('Nothing of this session is kept.')
  const rows = await sources.readRows(project, (tables) => readRows(tables, session))
  // Without what happened before the first call that is shown.
  const from = hasEarlier ? (first?.startedAt ?? 0) : 0
  const entries = [...calls.toReversed().map(callEntry), ...jobs.map(jobEntry), ...others.map(pastJobEntry), ...rows]
    .filter((entry) => (entry.to ?? Infinity) >= from)
    .toSorted((a, b) => a.from - b.from)
  return { project, client: first?.client ?? '', entries, hasEarlier }
}

/** Newest first. */
async function readCalls(sources: TimelineSources, session: string) {
  const calls: CallView[] = []
  let after: string | null = null
  do {
    const query = { project: null, session, tool: null, outcome: null, text: null, after }
    const page: Awaited<ReturnType<typeof listCalls>> = await listCalls(sources, query)
    calls.push(...page.calls)
    after = page.next
  } while (after !== null && calls.length < MAX_CALLS)
  return { calls: calls.slice(0, MAX_CALLS), hasEarlier: after !== null || calls.length > MAX_CALLS }
}

function listJobs({ feeds }: TimelineSources, session: string): readonly JobView[] {
  const live = feeds.all().flatMap(({ latest }) => latest.jobs ?? [])
  const gone = feeds.gone.list(live).flatMap(({ jobs }) => jobs)
  return [...live, ...gone].filter((job) => job.session === session)
}

function callEntry({ id, tool, about, startedAt, ms, outcome }: CallView): TimelineEntry {
  const to = outcome === 'running' ? null : startedAt + ms
  return { kind: 'call', id, label: `${tool} ${about}`.trim(), from: startedAt, to, outcome }
}

function jobEntry(job: JobView): TimelineEntry {
  const { server, id, command, startedAt, endedAt, isRunning, exitCode } = job
  const outcome = isRunning ? 'running' : hasFailed(job) ? 'error' : exitCode === 0 ? 'ok' : 'cancelled'
  return { kind: 'job', id: String(id), label: toLabel(command), from: startedAt, to: endedAt, outcome, server }
}

/** One whose end was not reported does not run any more: its server has exited. */
function pastJobEntry({ server, id, command, startedAt, endedAt, outcome }: PastJob): TimelineEntry {
  const to = endedAt ?? startedAt
  const known = outcome === 'running' ? 'cancelled' : outcome
  return { kind: 'job', id: String(id), label: toLabel(command), from: startedAt, to, outcome: known, server }
}

async function readRows(
  { questions, approvals, callbacks, messages, pastEvents }: StateTables,
  session: string,
): Promise<readonly TimelineEntry[]> {
  const [asked, requested, set, sent, past] = [
    await questions.listOfSession(session),
    await approvals.listOfSession(session),
    await callbacks.list(),
    await messages.listOfSession(session),
    await pastEvents.listOfSession(session),
  ]
  const known = new Set(requested.map(({ id }) => id))
  return [
    ...asked.map(({ id, questions: [question], askedAt, answeredAt }) =>
      toEntry('question', id, question?.text ?? '', askedAt, answeredAt),
    ),
    ...requested.map(({ id, action, requestedAt, decidedAt }) =>
      toEntry('approval', id, action, requestedAt, decidedAt),
    ),
    ...set
      .filter((callback) => callback.session === session)
      .map(({ slot, message, setAt }) => toEntry('callback', `${slot} ${setAt}`, message, setAt, null)),
    ...past
      .filter(({ kind, id }) => kind === 'callback' || !known.has(id))
      .map(({ kind, id, label, startedAt, endedAt }) =>
        toEntry(kind, kind === 'callback' ? `${id} ${startedAt}` : id, label, startedAt, endedAt),
      ),
    ...sent.map(({ id, text, createdAt, deliveredAt }) => toEntry('message', id, text, createdAt, deliveredAt)),
  ]
}

function toEntry(
  kind: TimelineEntry['kind'],
  id: number | string,
  label: string,
  from: number,
  to: number | null,
): TimelineEntry {
  return { kind, id: String(id), label: toLabel(label), from, to, outcome: null }
}

function toLabel(text: string): string {
  return toSingleLine(text, MAX_LABEL)
}
