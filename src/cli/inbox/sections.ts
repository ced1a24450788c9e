// What there is, as lines of words: one section for each part of the board. The plain report prints them all; the
// terminal shows them one at a time.

import type {
  BoardView,
  CallbackView,
  CallView,
  JobView,
  ProjectView,
  QuestionView,
  ServerView,
  TaskView,
} from '../../services/board/view.js'
import { age, ago, counted, joined, lasting, line, projectName } from './phrases.js'

const SIGNS = { ok: '✓', error: '✗', cancelled: '–', running: '…' } as const

export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

/** Those with something in them. */
export function sectionsOf(view: BoardView, now: number): readonly Section[] {
  const sections: readonly Section[] = [
    { title: 'Questions', lines: view.questions.flatMap((question) => questionLines(question, now)) },
    { title: 'Jobs', lines: view.jobs.map((job) => jobLine(job, now)) },
    { title: 'Callbacks', lines: view.callbacks.map((callback) => callbackLine(callback, now)) },
    { title: 'Messages for the model', lines: view.messages.map(({ text }) => line(text)) },
    { title: 'Plans and tasks', lines: planLines(view) },
    { title: 'Recent calls', lines: callLines(view, now) },
    { title: 'Servers and tools', lines: serverLines(view, now) },
    { title: 'Problems', lines: view.problems.map(line) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

export function questionLine({ questions, askedAt, waiting }: QuestionView, now: number): string {
  const [first] = questions
  const more = questions.length > 1 && `+${questions.length - 1} more`
  return joined(line(first?.text ?? ''), more, waiting ? 'a call waits' : ago(askedAt, now))
}

export function jobLine(job: JobView, now: number): string {
  const last = job.tail.trimEnd().split('\n').at(-1) ?? ''
  return joined(`${job.id}`, jobState(job, now), line(job.command), line(last))
}

export function jobState({ isRunning, startedAt, endedAt, ending }: JobView, now: number): string {
  if (isRunning) return lasting(now - startedAt)
  return `${line(ending) || 'ended'} after ${lasting((endedAt ?? now) - startedAt)}`
}

export function callbackLine(callback: CallbackView, now: number): string {
  return joined(`${callback.slot}`, callbackTime(callback, now), line(callback.message))
}

export function callbackTime({ fireAt, job, pattern, everyMs, repeatsLeft }: CallbackView, now: number): string {
  const when = fireAt === null ? `when job ${job ?? '?'} ${pattern === null ? 'ends' : `prints ${line(pattern)}`}` : ''
  const left = fireAt === null ? '' : fireAt <= now ? 'due' : `in ${lasting(fireAt - now + 999)}`
  const repeats = repeatsLeft < 0 ? 'for ever' : counted(repeatsLeft, 'more time')
  return joined(when || left, everyMs > 0 && repeatsLeft !== 0 && `every ${lasting(everyMs)}, ${repeats}`)
}

export function planLines({ projects }: Pick<BoardView, 'projects'>): readonly string[] {
  return projects.filter(({ plan, tasks }) => plan !== null || tasks.length > 0).flatMap(projectLines)
}

export function callLines({ calls }: Pick<BoardView, 'calls'>, now: number): readonly string[] {
  return calls.map((call) => callLine(call, now))
}

export function serverLines({ servers }: Pick<BoardView, 'servers'>, now: number): readonly string[] {
  return servers.flatMap((server) => [serverLine(server, now), ...toolLines(server)])
}

function questionLines(form: QuestionView, now: number): readonly string[] {
  const heads = form.questions.flatMap(({ text, choices, multiple }) => [
    joined(line(text), multiple && 'several may be chosen'),
    ...choices.map(({ label, description }) => `  ○ ${joined(line(label), description !== null && line(description))}`),
  ])
  return [joined(projectName(form.project), `question ${form.id}`, ago(form.askedAt, now)), ...heads.map(indented)]
}

function projectLines({ project, plan, tasks, openTasks }: ProjectView): readonly string[] {
  const unseen = openTasks - tasks.length
  return [
    joined(projectName(project), counted(openTasks, 'open task')),
    ...(plan ? [indented(`Plan: ${line(plan.goal)}`)] : []),
    ...tasks.flatMap(taskLines).map(indented),
    ...(unseen > 0 ? [indented(`and ${unseen} more`)] : []),
  ]
}

function taskLines({ id, name, isCurrent, steps, stepsDone, stepsTotal }: TaskView): readonly string[] {
  const done = stepsTotal > 0 && `${stepsDone} of ${counted(stepsTotal, 'step')} done`
  return [
    `${isCurrent ? '▸' : ' '} ${joined(`${id}`, line(name), done)}`,
    ...(isCurrent ? steps.map(({ text, isDone }) => `    [${isDone ? 'x' : ' '}] ${line(text)}`) : []),
  ]
}

function callLine({ tool, about, outcome, ms, startedAt }: CallView, now: number): string {
  const took = outcome === 'running' ? 'running' : ms < 1000 ? `${Math.round(ms)}ms` : lasting(ms)
  return `${SIGNS[outcome]} ${joined(line(tool), took, ago(startedAt, now), line(about))}`
}

function serverLine({ project, transport, pid, version, startedAt }: ServerView, now: number): string {
  return joined(
    projectName(project),
    `${transport}, process ${pid}`,
    `version ${line(version)}`,
    `since ${age(startedAt, now)}`,
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
