// Answers of the server to what views read on request: tasks and calls page by page, a call with its result, the timeline of
// a session. They are made from what the page of a story shows. Used by story.tsx. Pure.

import type {
  CallDetails,
  CallPage,
  CallView,
  ConsoleView,
  SessionTimeline,
  TaskPage,
  TimelineEntry,
} from '../../../view.js'
import { answerJson, readField, refuse, type StoryAnswers } from '../story-answers.js'
import { IMAGE } from './image.js'
import { MINUTE, TEST_RUN } from './sample-view.js'

const PAGE_SIZE = 100

export function viewAnswers(view: ConsoleView): StoryAnswers {
  return {
    'board/tasks': ({ body }) => answerJson(listTasks(view, body)),
    'board/task': ({ body }) => answerOr(findTasks(view, body).find(({ id }) => id === readField(body, 'id'))),
    'board/calls': ({ body }) => answerJson(listCalls(view, body)),
    'board/call': ({ body }) => answerOr(readCall(view, readField(body, 'id'))),
    'board/timeline': ({ body }) => answerJson(readTimeline(view, readField(body, 'session'))),
  }
}

function answerOr(value: object | undefined): Response {
  return value === undefined ? refuse() : answerJson(value)
}

function findTasks({ projects }: ConsoleView, body: string) {
  return projects.find(({ project }) => project === readField(body, 'project'))?.tasks ?? []
}

function listTasks(view: ConsoleView, body: string): TaskPage {
  const all = findTasks(view, body)
  const after = readField(body, 'after')
  const from = typeof after === 'number' ? after : 0
  return {
    tasks: all.slice(from, from + PAGE_SIZE),
    found: all.length - from,
    hasUncounted: false,
    next: from + PAGE_SIZE < all.length ? from + PAGE_SIZE : null,
    taskRevision: 1,
  }
}

function listCalls({ calls }: ConsoleView, body: string): CallPage {
  const after = readField(body, 'after')
  const from = typeof after === 'string' ? Number(after) : 0
  const outcome = readField(body, 'outcome')
  const text = readField(body, 'text')
  const all = calls.filter(
    (call) => (outcome === null || call.outcome === outcome) && (typeof text !== 'string' || call.about.includes(text)),
  )
  return {
    calls: all.slice(from, from + PAGE_SIZE),
    next: from + PAGE_SIZE < all.length ? `${from + PAGE_SIZE}` : null,
    isHistoryKept: true,
  }
}

function readCall({ calls }: ConsoleView, id: unknown): CallDetails | undefined {
  const call = calls.find((each) => each.id === id)
  if (call === undefined) return undefined
  return {
    call,
    input: JSON.stringify({ command: call.about, ...(call.tool === 'Bash' && { timeout: 120_000 }) }, undefined, 2),
    inputOmitted: 0,
    blocks: call.outcome === 'running' ? [] : blocksOf(call),
    rerunProblem: null,
  }
}

function blocksOf({ error, outcome }: CallView): CallDetails['blocks'] {
  if (outcome !== 'ok') return [{ type: 'text', text: `${error ?? 'Cancelled'}\n\n${TEST_RUN}`, omitted: 0 }]
  return [
    { type: 'text', text: `${TEST_RUN}\n`.repeat(12), omitted: 48_211 },
    { type: 'image', mimeType: 'image/png', bytes: 1834, data: IMAGE },
    { type: 'image', mimeType: 'image/tiff', bytes: 9_400_000, data: null },
    { type: 'other', name: 'resource_link' },
  ]
}

function readTimeline({ calls, jobs }: ConsoleView, session: unknown): SessionTimeline {
  const own = calls.filter((call) => call.session === session)
  const at = own.at(-1)?.startedAt ?? 0
  const entries: readonly TimelineEntry[] = [
    ...own.map(toEntry),
    ...jobs.slice(0, 2).map(({ id, command, startedAt, endedAt }) => ({
      kind: 'job' as const,
      id: `${id}`,
      label: command,
      from: startedAt,
      to: endedAt,
      outcome: endedAt === null ? ('running' as const) : ('ok' as const),
    })),
    { kind: 'question', id: '1', label: own[0]?.about ?? '', from: at + MINUTE, to: at + 4 * MINUTE, outcome: null },
    { kind: 'approval', id: '1', label: 'exit', from: at + 5 * MINUTE, to: at + 9 * MINUTE, outcome: null },
    { kind: 'callback', id: '0', label: 'Look at the build', from: at + 10 * MINUTE, to: null, outcome: null },
    { kind: 'message', id: '7', label: 'Look again', from: at + 12 * MINUTE, to: at + 13 * MINUTE, outcome: null },
  ]
  const { project = '', client = '' } = own[0] ?? {}
  return { project, client, entries: entries.toSorted((a, b) => a.from - b.from), hasEarlier: true }
}

function toEntry({ id, tool, about, startedAt, ms, outcome }: CallView): TimelineEntry {
  const to = outcome === 'running' ? null : startedAt + ms
  return { kind: 'call', id, label: `${tool} ${about}`, from: startedAt, to, outcome }
}
