// Formats the view as lines of text, one section for each part. The report (`inbox --once`) prints all sections; the
// interactive inbox shows them one at a time. Untrusted text is returned without terminal control characters. Used by
// inbox-command and all screens. Pure.

import { basename } from 'node:path'

import { escapeUnsafe } from '@scorpiox/mcp/log'
import { toPrintableLines } from '@scorpiox/server/terminal/text-layout'
import { toSingleLine } from '@scorpiox/server/text/format'
import { listAsked } from '../asked-items.js'
import { formatExitCode, jobEndingKey } from '../i18n/job-ending.js'
import type {
  ApprovalView,
  CallbackView,
  CallView,
  ClientOrigin,
  ConsoleView,
  JobView,
  QuestionView,
  SecretView,
  ServerView,
  TaskView,
} from '../view.js'
import type { FullProjectView } from './full-view.js'
import type { InboxTranslator } from './inbox-context.js'

const MAX_LINE_CHARS = 500
const MINUTE_MS = 60_000
/** Of a server, in its row. */
const MAX_CLIENTS = 3
const OUTCOME_SYMBOLS = { ok: '✓', error: '✗', cancelled: '–', running: '…' } as const

export interface ViewSection {
  readonly title: string
  readonly lines: readonly string[]
}

/** The whole view as text. */
export function formatReport(view: ConsoleView, translator: InboxTranslator, now: number): string {
  const sections = formatSections(view, translator, now).map(
    ({ title, lines }) => `\n${title}\n${lines.map((row) => `  ${row}`.trimEnd().concat('\n')).join('')}`,
  )
  return `${formatHeadline(view, translator)}\n${sections.join('')}`
}

export function formatReportJson(view: ConsoleView): string {
  return `${escapeUnsafe(JSON.stringify(view, null, 2))}\n`
}

/** The first line of the report. */
function formatHeadline(view: ConsoleView, translator: InboxTranslator): string {
  return `scorpiox-code inbox · ${formatCounts(view, translator)}`
}

/** What is asked, and how many servers are connected. */
export function formatCounts(
  { secrets, approvals, questions, servers, problems }: ConsoleView,
  { translate }: InboxTranslator,
): string {
  // If something could not be read, it is unknown whether there are questions.
  const noQuestionText =
    problems.length === 0 ? translate('noQuestion') : translate('problemCount', { n: problems.length })
  const asked = joinParts(
    secrets.length > 0 && translate('secretCount', { n: secrets.length }),
    questions.length > 0 && translate('questionCount', { n: questions.length }),
    approvals.length > 0 && translate('approvalCount', { n: approvals.length }),
  )
  return `${asked === '' ? noQuestionText : asked} · ${translate('serverCount', { n: servers.filter(({ isGone }) => !isGone).length })}`
}

/** The non-empty sections. */
function formatSections(view: ConsoleView, translator: InboxTranslator, now: number): readonly ViewSection[] {
  const { translate } = translator
  const sections: readonly ViewSection[] = [
    ...formatAskedSections(view, translator, now),
    {
      title: translate('jobs'),
      lines: view.jobs.map((job) => formatJobRow(job, view, translator, now)),
    },
    {
      title: translate('callbacks'),
      lines: view.callbacks.map((callback) => formatCallbackRow(callback, translator, now)),
    },
    { title: translate('modelMessages'), lines: view.messages.map(({ text }) => sanitizeLine(text)) },
    { title: translate('plansAndTasks'), lines: formatPlanRows(view, translator) },
    { title: translate('recentCalls'), lines: formatCallRows(view, translator, now) },
    { title: translate('serversAndTools'), lines: formatServerRows(view, translator, now) },
    { title: translate('problems'), lines: view.problems.map(sanitizeLine) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

/** In the order of listAsked: passwords, questions, plans. */
function formatAskedSections(view: ConsoleView, translator: InboxTranslator, now: number): readonly ViewSection[] {
  const { translate } = translator
  const asked = listAsked(view)
  const secrets = asked.flatMap((item) => (item.kind === 'secret' ? item.secret : []))
  const questions = asked.flatMap((item) => (item.kind === 'question' ? item.question : []))
  const approvals = asked.flatMap((item) => (item.kind === 'approval' ? item.approval : []))
  return [
    {
      title: translate('passwords'),
      lines: secrets.map((secret) => joinParts(formatClient(secret), formatSecretRow(secret))),
    },
    {
      title: translate('questions'),
      lines: questions.flatMap((question) => questionLines(question, translator, now)),
    },
    {
      title: translate('planApproval'),
      lines: approvals.map((approval) =>
        joinParts(
          formatProjectName(approval.project),
          formatClient(approval),
          translate('approvalId', { id: `${approval.id}` }),
          formatApprovalRow(approval, translator, now),
        ),
      ),
    },
  ]
}

export function formatApprovalRow(
  { action, goal, requestedAt, waiting }: ApprovalView,
  translator: InboxTranslator,
  now: number,
): string {
  const { translate } = translator
  return joinParts(
    translate(action === 'exit' ? 'planApproval' : 'planReset'),
    waiting ? translate('waits') : formatAgo(translator, requestedAt, now),
    sanitizeLine(goal),
  )
}

export function formatSecretRow({ prompt, command }: SecretView): string {
  return joinParts(sanitizeLine(prompt), sanitizeLine(command))
}

export function formatQuestionRow(
  { questions, askedAt, waiting }: QuestionView,
  translator: InboxTranslator,
  now: number,
): string {
  const { translate } = translator
  const [first] = questions
  const more = questions.length > 1 && translate('moreQuestions', { n: questions.length - 1 })
  return joinParts(
    waiting ? translate('waits') : formatAgo(translator, askedAt, now),
    more,
    sanitizeLine(first?.text ?? ''),
  )
}

/** `view` says which servers have exited. */
export function formatJobRow(job: JobView, view: ConsoleView, translator: InboxTranslator, now: number): string {
  const { translate } = translator
  const hasOtherProjects = view.jobs.some(({ project }) => project !== job.project)
  return joinParts(
    `${job.id}`,
    isOfGoneServer(view, job) && translate('serverGone'),
    formatJobState(job, translator, now),
    job.isRunning && job.terminal?.isUserTyping === true && translate('jobTyping'),
    hasOtherProjects && formatProjectName(job.project),
    sanitizeLine(job.command),
    sanitizeLine(lastLineOf(job)),
  )
}

/** Of its output. */
export function lastLineOf({ tail }: JobView): string {
  return tail.trimEnd().split('\n').at(-1) ?? ''
}

/** The job itself, also if another server of its project has taken it over; undefined if it is no longer known. */
export function findJob({ jobs }: ConsoleView, { project, id }: JobView): JobView | undefined {
  return jobs.find((job) => job.id === id && job.project === project)
}

/** Nothing can be done with what belongs to a server that has exited. */
export function isOfGoneServer({ servers }: ConsoleView, { server }: { readonly server: string }): boolean {
  return servers.some(({ id, isGone }) => isGone && id === server)
}

export function formatJobState(job: JobView, translator: InboxTranslator, now: number): string {
  if (job.isRunning) return formatElapsed(translator, now - job.startedAt)
  const time = translator.formatDuration((job.endedAt ?? now) - job.startedAt)
  return translator.translate('endedAfter', { how: formatJobEnding(translator, job), time })
}

export function formatCallbackRow(callback: CallbackView, translator: InboxTranslator, now: number): string {
  return joinParts(`${callback.slot}`, formatCallbackTime(callback, translator, now), sanitizeLine(callback.message))
}

export function formatCallbackTime(callback: CallbackView, translator: InboxTranslator, now: number): string {
  const { everyMs, repeatsLeft } = callback
  const { translate, formatDuration } = translator
  const times = repeatsLeft < 0 ? translate('untilCancelled') : translate('timesMore', { n: repeatsLeft })
  const isRepeated = everyMs > 0 && repeatsLeft !== 0
  return joinParts(
    callbackEvent(callback, translator, now),
    isRepeated && translate('repeats', { time: formatDuration(everyMs), times }),
  )
}

function callbackEvent({ fireAt, job, pattern }: CallbackView, translator: InboxTranslator, now: number): string {
  const { translate } = translator
  const name = `${job ?? '?'}`
  if (fireAt === null && pattern === null) return translate('whenJobEnds', { job: name })
  if (fireAt === null) return translate('whenJobPrints', { job: name, pattern: sanitizeLine(pattern ?? '') })
  return fireAt <= now
    ? translate('isDue')
    : translate('fires', { time: formatElapsed(translator, fireAt - now + 999) })
}

export function formatPlanRows(
  { projects }: Pick<ConsoleView, 'projects'>,
  translator: InboxTranslator,
): readonly string[] {
  return projects
    .filter(({ plan, tasks }) => plan !== null || tasks.length > 0)
    .flatMap((project) => projectLines(project, translator))
}

function formatProjectRow({ project, openTasks }: FullProjectView, { translate }: InboxTranslator): string {
  return joinParts(formatProjectName(project), translate('tasksOpen', { n: openTasks }))
}

function formatTaskRow(
  { id, name, isCurrent, stepsDone, stepsTotal }: TaskView,
  { translate }: InboxTranslator,
): string {
  const done = stepsTotal > 0 && translate('stepsDone', { done: stepsDone, n: stepsTotal })
  return `${isCurrent ? '▸' : ' '} ${joinParts(`${id}`, sanitizeLine(name), done)}`
}

/** In a list, where the row begins with the mark of the cursor. */
export function formatTaskTitle(
  { id, name, isCurrent, stepsDone, stepsTotal }: TaskView,
  { translate }: InboxTranslator,
): string {
  const done = stepsTotal > 0 && translate('stepsDone', { done: stepsDone, n: stepsTotal })
  return joinParts(`${id}`, sanitizeLine(name), isCurrent && translate('current'), done)
}

function formatStepRow({ text, isDone }: TaskView['steps'][number]): string {
  return `[${isDone ? 'x' : ' '}] ${sanitizeLine(text)}`
}

function formatCallRows(
  { calls }: Pick<ConsoleView, 'calls'>,
  translator: InboxTranslator,
  now: number,
): readonly string[] {
  return calls.map((call) => formatCallRow(call, translator, now))
}

function formatServerRows(
  { servers }: Pick<ConsoleView, 'servers'>,
  translator: InboxTranslator,
  now: number,
): readonly string[] {
  return servers.flatMap((server) =>
    server.isGone ? [] : [formatServerRow(server, translator, now), ...toolLines(server)],
  )
}

function questionLines(form: QuestionView, translator: InboxTranslator, now: number): readonly string[] {
  const { translate } = translator
  const questionRows = form.questions.flatMap(({ text, choices, multiple }) => [
    joinParts(sanitizeLine(text), multiple && translate('severalAllowed')),
    ...choices.map(
      ({ label, description }) =>
        `  ○ ${joinParts(sanitizeLine(label), description !== null && sanitizeLine(description))}`,
    ),
  ])
  const title = joinParts(
    formatProjectName(form.project),
    formatClient(form),
    translate('questionId', { id: `${form.id}` }),
    formatAgo(translator, form.askedAt, now),
  )
  return [title, ...questionRows.map(indent)]
}

function projectLines(project: FullProjectView, translator: InboxTranslator): readonly string[] {
  const { plan, planText, tasks, openTasks } = project
  const unlisted = openTasks - tasks.length
  return [
    formatProjectRow(project, translator),
    ...(plan ? [indent(formatPlanTitle(plan, translator))] : []),
    ...(planText ? toPrintableLines(planText.trimEnd()).map((each) => indent(indent(each)).trimEnd()) : []),
    ...tasks.flatMap((task) => taskLines(task, translator)).map(indent),
    ...(unlisted > 0 ? [indent(translator.translate('andMore', { n: unlisted }))] : []),
  ]
}

/** The goal of a plan is optional. */
export function formatPlanTitle({ goal }: { readonly goal: string }, { translate }: InboxTranslator): string {
  return goal.trim() === '' ? translate('planOpen') : translate('plan', { goal: sanitizeLine(goal) })
}

function taskLines(task: TaskView, translator: InboxTranslator): readonly string[] {
  return [
    formatTaskRow(task, translator),
    ...(task.isCurrent ? task.steps.map((step) => `    ${formatStepRow(step)}`) : []),
  ]
}

export function formatCallRow(call: CallView, translator: InboxTranslator, now: number): string {
  const { tool, about, outcome, startedAt, error } = call
  return `${OUTCOME_SYMBOLS[outcome]} ${joinParts(
    sanitizeLine(tool),
    formatCallState(call, translator),
    formatAgo(translator, startedAt, now),
    error !== null && sanitizeLine(error),
    sanitizeLine(about),
  )}`
}

/** How long it took, unless it runs. */
export function formatCallState({ outcome, ms }: CallView, { translate, formatDuration }: InboxTranslator): string {
  return outcome === 'running' ? translate('runningNow') : formatDuration(ms)
}

export function formatServerRow(server: ServerView, translator: InboxTranslator, now: number): string {
  const { project, transport, pid, version, startedAt, clients = [] } = server
  const { translate } = translator
  return joinParts(
    formatProjectName(project),
    formatClients(clients, translator),
    translate('serverProcess', { transport, pid: `${pid}` }),
    translate('version', { version: sanitizeLine(version) }),
    translate('since', { when: formatAgo(translator, startedAt, now) }),
  )
}

/** Those that called last. */
function formatClients(clients: readonly ClientOrigin[], { translate }: InboxTranslator): string {
  const names = [...new Set(clients.map(formatClient))]
  const others = names.length - MAX_CLIENTS
  return joinParts(...names.slice(0, MAX_CLIENTS), others > 0 && translate('andMore', { n: others }))
}

function toolLines({ tools }: ServerView): readonly string[] {
  const working = tools.filter(({ works, note }) => works && note === null).map(({ name }) => sanitizeLine(name))
  const withNotes = tools.filter(({ works, note }) => !works || note !== null)
  return [
    ...(working.length > 0 ? [indent(`✓ ${working.join(', ')}`)] : []),
    ...withNotes.map(({ name, works, note }) =>
      indent(`${works ? '!' : '✗'} ${sanitizeLine(name)}${note === null ? '' : `: ${sanitizeLine(note)}`}`),
    ),
  ]
}

function indent(text: string): string {
  return `  ${text}`
}

export function sanitizeLine(text: string): string {
  return toSingleLine(text.toWellFormed(), MAX_LINE_CHARS)
}

/** Joins the non-empty parts. */
export function joinParts(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

/** Without seconds, so that the text does not change and redraw every second. */
export function formatAgo({ formatTimeAgo: formatRelative }: InboxTranslator, at: number, now: number): string {
  return now - at < MINUTE_MS ? formatRelative(now, now) : formatRelative(at, now)
}

/** In whole seconds, at least one, because it is redrawn while it increases. */
function formatElapsed({ formatDuration }: InboxTranslator, ms: number): string {
  return formatDuration(Math.max(1, Math.floor(ms / 1000)) * 1000)
}

export function formatProjectName(project: string): string {
  return sanitizeLine(basename(project) || project)
}

/** Name and version of the client that something comes from; empty if it is not known. */
export function formatClient({ client = '' }: ClientOrigin): string {
  return sanitizeLine(client)
}

function formatJobEnding({ translate }: InboxTranslator, job: JobView): string {
  const code = formatExitCode(job)
  return code === undefined ? translate(jobEndingKey(job)) : translate('exitCode', { code: sanitizeLine(code) })
}
