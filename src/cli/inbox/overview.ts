// The list one sees first: what waits for the person on top, then what is at work, then where to look further.

import type { BoardView, CallbackView, JobView, MessageView, QuestionView } from '../../services/board/view.js'
import { counted, line } from './phrases.js'
import { callbackLine, callLines, jobLine, planLines, questionLine, serverLines, type Section } from './sections.js'

export type Place =
  | { readonly kind: 'question'; readonly question: QuestionView }
  | { readonly kind: 'job'; readonly job: JobView }
  | { readonly kind: 'callback'; readonly callback: CallbackView }
  | { readonly kind: 'message'; readonly message: MessageView }
  | { readonly kind: 'section'; readonly title: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }

export interface Item {
  /** The same as long as it is about the same thing. */
  readonly value: string
  readonly label: string
  readonly place: Place
}

const PROBLEMS = 'Problems'
const atProblems = `section ${PROBLEMS}`

/** Where there is nothing yet, the cursor should not wait on the way out. */
const NOTHING: Item = { value: 'nothing', label: 'Nothing yet', place: { kind: 'nothing' } }

export function overviewOf(view: BoardView, now: number): readonly Item[] {
  const ended = view.jobs.filter(({ isRunning }) => !isRunning)
  const further = furtherOf(view, now).map(({ title, note }): Item => ({
    value: `section ${title}`,
    label: `${title} · ${note}`,
    place: { kind: 'section', title },
  }))
  const items: readonly Item[] = [
    ...further.filter(({ value }) => value === atProblems),
    ...view.questions.map((question): Item => ({
      value: `question ${question.id} ${question.project}`,
      label: `Question · ${questionLine(question, now)}`,
      place: { kind: 'question', question },
    })),
    ...view.jobs.filter(({ isRunning }) => isRunning).map((job) => jobItem(job, now)),
    ...view.callbacks.map((callback): Item => ({
      value: `callback ${callback.slot} ${callback.session} ${callback.project}`,
      label: `Callback ${callbackLine(callback, now)}`,
      place: { kind: 'callback', callback },
    })),
    ...view.messages.map((message): Item => ({
      value: `message ${message.id} ${message.project}`,
      label: `For the model · ${line(message.text)}`,
      place: { kind: 'message', message },
    })),
    ...(ended.length > 0
      ? [{ value: 'ended', label: `Ended jobs · ${ended.length}`, place: { kind: 'ended' } } as const]
      : []),
    ...further.filter(({ value }) => value !== atProblems),
  ]
  return [...(items.length > 0 ? items : [NOTHING]), { value: 'quit', label: 'Quit', place: { kind: 'quit' } }]
}

export function endedOf({ jobs }: BoardView, now: number): readonly Item[] {
  return jobs
    .filter(({ isRunning }) => !isRunning)
    .toSorted((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0))
    .map((job) => jobItem(job, now))
}

/** What stands above the list. */
export function headline({ questions, servers, problems }: BoardView): string {
  // Where something is wrong nobody knows that there is none.
  const none = problems.length === 0 ? 'no question' : counted(problems.length, 'problem')
  const waiting = questions.length === 0 ? none : counted(questions.length, 'question')
  return `scorpiox-code inbox · ${waiting} · ${counted(servers.length, 'server')}`
}

export function sectionNamed(view: BoardView, title: string, now: number): Section {
  return { title, lines: furtherOf(view, now).find((section) => section.title === title)?.lines ?? [] }
}

function jobItem(job: JobView, now: number): Item {
  return { value: `job ${job.id} ${job.server}`, label: `Job ${jobLine(job, now)}`, place: { kind: 'job', job } }
}

function furtherOf(view: BoardView, now: number): readonly (Section & { readonly note: string })[] {
  const broken = view.servers.flatMap(({ tools }) => tools).filter(({ works }) => !works)
  const open = view.projects.reduce((sum, { openTasks }) => sum + openTasks, 0)
  return [
    { title: 'Plans and tasks', lines: planLines(view), note: `${open} open` },
    { title: 'Recent calls', lines: callLines(view, now), note: `${view.calls.length}` },
    {
      title: 'Servers and tools',
      lines: serverLines(view, now),
      note: broken.length === 0 ? 'all work' : `${broken.length} ${broken.length === 1 ? 'does' : 'do'} not work`,
    },
    { title: PROBLEMS, lines: view.problems.map(line), note: line(view.problems[0] ?? '') },
  ].filter(({ lines }) => lines.length > 0)
}
