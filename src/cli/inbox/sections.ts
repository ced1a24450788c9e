// Formats the view as lines of text, one section for each part. The report prints all sections; the interactive inbox shows
// them one at a time.

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

const OUTCOME_SYMBOLS = { ok: '✓', error: '✗', cancelled: '–', running: '…' } as const

export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

/** The non-empty sections. */
export function sectionsOf(view: BoardView, translator: InboxWords, now: number): readonly Section[] {
  const { say } = translator
  const sections: readonly Section[] = [
    { title: say('questions'), lines: view.questions.flatMap((question) => questionLines(question, translator, now)) },
    { title: say('jobs'), lines: view.jobs.map((job) => jobLine(job, translator, now)) },
    { title: say('callbacks'), lines: view.callbacks.map((callback) => callbackLine(callback, translator, now)) },
    { title: say('modelMessages'), lines: view.messages.map(({ text }) => line(text)) },
    { title: say('plansAndTasks'), lines: planLines(view, translator) },
    { title: say('recentCalls'), lines: callLines(view, translator, now) },
    { title: say('serversAndTools'), lines: serverLines(view, translator, now) },
    { title: say('problems'), lines: view.problems.map(line) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

export function questionLine(
  { questions, askedAt, waiting }: QuestionView,
  translator: InboxWords,
  now: number,
): string {
  const { say } = translator
  const [first] = questions
  const more = questions.length > 1 && say('moreQuestions', { n: questions.length - 1 })
  return joined(line(first?.text ?? ''), more, waiting ? say('waits') : ago(translator, askedAt, now))
}

export function jobLine(job: JobView, translator: InboxWords, now: number): string {
  const lastLine = job.tail.trimEnd().split('\n').at(-1) ?? ''
  return joined(`${job.id}`, jobState(job, translator, now), line(job.command), line(lastLine))
}

export function jobState(job: JobView, translator: InboxWords, now: number): string {
  if (job.isRunning) return lasting(translator, now - job.startedAt)
  const time = translator.duration((job.endedAt ?? now) - job.startedAt)
  return translator.say('endedAfter', { how: endingOf(translator, job), time })
}

export function callbackLine(callback: CallbackView, translator: InboxWords, now: number): string {
  return joined(`${callback.slot}`, callbackTime(callback, translator, now), line(callback.message))
}

export function callbackTime(callback: CallbackView, translator: InboxWords, now: number): string {
  const { everyMs, repeatsLeft } = callback
  const { say, duration } = translator
  const times = repeatsLeft < 0 ? say('untilCancelled') : say('timesMore', { n: repeatsLeft })
  const isRepeated = everyMs > 0 && repeatsLeft !== 0
  return joined(
    callbackEvent(callback, translator, now),
    isRepeated && say('repeats', { time: duration(everyMs), times }),
  )
}

function callbackEvent({ fireAt, job, pattern }: CallbackView, translator: InboxWords, now: number): string {
  const { say } = translator
  const name = `${job ?? '?'}`
  if (fireAt === null && pattern === null) return say('whenJobEnds', { job: name })
  if (fireAt === null) return say('whenJobPrints', { job: name, pattern: line(pattern ?? '') })
  return fireAt <= now ? say('isDue') : say('fires', { time: lasting(translator, fireAt - now + 999) })
}

export function planLines({ projects }: Pick<BoardView, 'projects'>, translator: InboxWords): readonly string[] {
  return projects
    .filter(({ plan, tasks }) => plan !== null || tasks.length > 0)
    .flatMap((project) => projectLines(project, translator))
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

export function callLines({ calls }: Pick<BoardView, 'calls'>, translator: InboxWords, now: number): readonly string[] {
  return calls.map((call) => callLine(call, translator, now))
}

export function serverLines(
  { servers }: Pick<BoardView, 'servers'>,
  translator: InboxWords,
  now: number,
): readonly string[] {
  return servers.flatMap((server) => [serverLine(server, translator, now), ...toolLines(server)])
}

function questionLines(form: QuestionView, translator: InboxWords, now: number): readonly string[] {
  const { say } = translator
  const questionRows = form.questions.flatMap(({ text, choices, multiple }) => [
    joined(line(text), multiple && say('severalAllowed')),
    ...choices.map(({ label, description }) => `  ○ ${joined(line(label), description !== null && line(description))}`),
  ])
  const title = joined(
    projectName(form.project),
    say('questionId', { id: `${form.id}` }),
    ago(translator, form.askedAt, now),
  )
  return [title, ...questionRows.map(indent)]
}

function projectLines(project: WholeProject, translator: InboxWords): readonly string[] {
  const { plan, planText, tasks, openTasks } = project
  const unlisted = openTasks - tasks.length
  return [
    projectLine(project, translator),
    ...(plan ? [indent(translator.say('plan', { goal: line(plan.goal) }))] : []),
    ...(planText ? plainLines(planText.trimEnd()).map((each) => indent(indent(each)).trimEnd()) : []),
    ...tasks.flatMap((task) => taskLines(task, translator)).map(indent),
    ...(unlisted > 0 ? [indent(translator.say('andMore', { n: unlisted }))] : []),
  ]
}

function taskLines(task: TaskView, translator: InboxWords): readonly string[] {
  return [taskLine(task, translator), ...(task.isCurrent ? task.steps.map((step) => `    ${stepLine(step)}`) : [])]
}

function callLine({ tool, about, outcome, ms, startedAt }: CallView, translator: InboxWords, now: number): string {
  const duration = outcome === 'running' ? translator.say('runningNow') : translator.duration(ms)
  return `${OUTCOME_SYMBOLS[outcome]} ${joined(line(tool), duration, ago(translator, startedAt, now), line(about))}`
}

function serverLine(server: ServerView, translator: InboxWords, now: number): string {
  const { project, transport, pid, version, startedAt } = server
  const { say } = translator
  return joined(
    projectName(project),
    say('serverProcess', { transport, pid: `${pid}` }),
    say('version', { version: line(version) }),
    say('since', { when: ago(translator, startedAt, now) }),
  )
}

function toolLines({ tools }: ServerView): readonly string[] {
  const working = tools.filter(({ works, note }) => works && note === null).map(({ name }) => line(name))
  const withNotes = tools.filter(({ works, note }) => !works || note !== null)
  return [
    ...(working.length > 0 ? [indent(`✓ ${working.join(', ')}`)] : []),
    ...withNotes.map(({ name, works, note }) =>
      indent(`${works ? '!' : '✗'} ${line(name)}${note === null ? '' : `: ${line(note)}`}`),
    ),
  ]
}

function indent(text: string): string {
  return `  ${text}`
}
