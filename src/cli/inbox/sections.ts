// What there is, as lines of text: one section for each part of the board. The plain report prints them all; the
// terminal shows them one at a time.

import type {
  BoardView,
  CallbackView,
  CallView,
  JobView,
  QuestionView,
  ServerView,
  TaskView,
} from '../../services/board/view.js'
import { plainLines } from '../../lib/plain-lines.js'
import type { InboxWords } from './language.js'
import { ago, endingOf, joined, lasting, line, projectName } from './phrases.js'
import type { WholeProject } from './whole-view.js'

const SIGNS = { ok: '✓', error: '✗', cancelled: '–', running: '…' } as const

export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

/** Those with something in them. */
export function sectionsOf(view: BoardView, words: InboxWords, now: number): readonly Section[] {
  const { say } = words
  const sections: readonly Section[] = [
    { title: say('questions'), lines: view.questions.flatMap((question) => questionLines(question, words, now)) },
    { title: say('jobs'), lines: view.jobs.map((job) => jobLine(job, words, now)) },
    { title: say('callbacks'), lines: view.callbacks.map((callback) => callbackLine(callback, words, now)) },
    { title: say('modelMessages'), lines: view.messages.map(({ text }) => line(text)) },
    { title: say('plansAndTasks'), lines: planLines(view, words) },
    { title: say('recentCalls'), lines: callLines(view, words, now) },
    { title: say('serversAndTools'), lines: serverLines(view, words, now) },
    { title: say('problems'), lines: view.problems.map(line) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

export function questionLine({ questions, askedAt, waiting }: QuestionView, words: InboxWords, now: number): string {
  const { say } = words
  const [first] = questions
  const more = questions.length > 1 && say('moreQuestions', { n: questions.length - 1 })
  return joined(line(first?.text ?? ''), more, waiting ? say('waits') : ago(words, askedAt, now))
}

export function jobLine(job: JobView, words: InboxWords, now: number): string {
  const last = job.tail.trimEnd().split('\n').at(-1) ?? ''
  return joined(`${job.id}`, jobState(job, words, now), line(job.command), line(last))
}

export function jobState(job: JobView, words: InboxWords, now: number): string {
  if (job.isRunning) return lasting(words, now - job.startedAt)
  const time = words.duration((job.endedAt ?? now) - job.startedAt)
  return words.say('endedAfter', { how: endingOf(words, job), time })
}

export function callbackLine(callback: CallbackView, words: InboxWords, now: number): string {
  return joined(`${callback.slot}`, callbackTime(callback, words, now), line(callback.message))
}

export function callbackTime(callback: CallbackView, words: InboxWords, now: number): string {
  const { everyMs, repeatsLeft } = callback
  const { say, duration } = words
  const times = repeatsLeft < 0 ? say('untilCancelled') : say('timesMore', { n: repeatsLeft })
  const isRepeated = everyMs > 0 && repeatsLeft !== 0
  return joined(callbackEvent(callback, words, now), isRepeated && say('repeats', { time: duration(everyMs), times }))
}

function callbackEvent({ fireAt, job, pattern }: CallbackView, words: InboxWords, now: number): string {
  const { say } = words
  const name = `${job ?? '?'}`
  if (fireAt === null && pattern === null) return say('whenJobEnds', { job: name })
  if (fireAt === null) return say('whenJobPrints', { job: name, pattern: line(pattern ?? '') })
  return fireAt <= now ? say('isDue') : say('fires', { time: lasting(words, fireAt - now + 999) })
}

export function planLines({ projects }: Pick<BoardView, 'projects'>, words: InboxWords): readonly string[] {
  return projects
    .filter(({ plan, tasks }) => plan !== null || tasks.length > 0)
    .flatMap((project) => projectLines(project, words))
}

export function projectLine({ project, openTasks }: WholeProject, { say }: InboxWords): string {
  return joined(projectName(project), say('tasksOpen', { n: openTasks }))
}

export function taskLine({ id, name, isCurrent, stepsDone, stepsTotal }: TaskView, { say }: InboxWords): string {
  const done = stepsTotal > 0 && say('stepsDone', { done: stepsDone, n: stepsTotal })
  return `${isCurrent ? '▸' : ' '} ${joined(`${id}`, line(name), done)}`
}

export function stepLine({ text, isDone }: TaskView['steps'][number]): string {
  return `[${isDone ? 'x' : ' '}] ${line(text)}`
}

export function callLines({ calls }: Pick<BoardView, 'calls'>, words: InboxWords, now: number): readonly string[] {
  return calls.map((call) => callLine(call, words, now))
}

export function serverLines(
  { servers }: Pick<BoardView, 'servers'>,
  words: InboxWords,
  now: number,
): readonly string[] {
  return servers.flatMap((server) => [serverLine(server, words, now), ...toolLines(server)])
}

function questionLines(form: QuestionView, words: InboxWords, now: number): readonly string[] {
  const { say } = words
  const heads = form.questions.flatMap(({ text, choices, multiple }) => [
    joined(line(text), multiple && say('severalAllowed')),
    ...choices.map(({ label, description }) => `  ○ ${joined(line(label), description !== null && line(description))}`),
  ])
  const head = joined(projectName(form.project), say('questionId', { id: `${form.id}` }), ago(words, form.askedAt, now))
  return [head, ...heads.map(indented)]
}

function projectLines(project: WholeProject, words: InboxWords): readonly string[] {
  const { plan, planText, tasks, openTasks } = project
  const unseen = openTasks - tasks.length
  return [
    projectLine(project, words),
    ...(plan ? [indented(words.say('plan', { goal: line(plan.goal) }))] : []),
    ...(planText ? plainLines(planText.trimEnd()).map((each) => indented(indented(each)).trimEnd()) : []),
    ...tasks.flatMap((task) => taskLines(task, words)).map(indented),
    ...(unseen > 0 ? [indented(words.say('andMore', { n: unseen }))] : []),
  ]
}

function taskLines(task: TaskView, words: InboxWords): readonly string[] {
  return [taskLine(task, words), ...(task.isCurrent ? task.steps.map((step) => `    ${stepLine(step)}`) : [])]
}

function callLine({ tool, about, outcome, ms, startedAt }: CallView, words: InboxWords, now: number): string {
  const took = outcome === 'running' ? words.say('runningNow') : words.duration(ms)
  return `${SIGNS[outcome]} ${joined(line(tool), took, ago(words, startedAt, now), line(about))}`
}

function serverLine(server: ServerView, words: InboxWords, now: number): string {
  const { project, transport, pid, version, startedAt } = server
  const { say } = words
  return joined(
    projectName(project),
    say('serverProcess', { transport, pid: `${pid}` }),
    say('version', { version: line(version) }),
    say('since', { when: ago(words, startedAt, now) }),
  )
}

function toolLines({ tools }: ServerView): readonly string[] {
  const fine = tools.filter(({ works, note }) => works && note === null).map(({ name }) => line(name))
  const noted = tools.filter(({ works, note }) => !works || note !== null)
  return [
    ...(fine.length > 0 ? [indented(`✓ ${fine.join(', ')}`)] : []),
    ...noted.map(({ name, works, note }) =>
      indented(`${works ? '!' : '✗'} ${line(name)}${note === null ? '' : `: ${line(note)}`}`),
    ),
  ]
}

function indented(text: string): string {
  return `  ${text}`
}
