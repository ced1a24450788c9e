// The first list of the inbox: what needs the user, what blocks a model first; what runs and is scheduled; and the
// other lists. Opened by inbox-command.ts. Acts through the panes of its items.

import { type AskedItem, listAsked } from '../asked-items.js'
import { hasFailed } from '../i18n/job-ending.js'
import type { ApprovalView, ConsoleView, JobView, QuestionView, SecretView } from '../view.js'
import { createApprovalPane, createPlanDecisionDraft, type PlanDecisionDraft } from './approval-pane.js'
import { createCallbackPane, createMessagePane } from './callback-panes.js'
import {
  formatApprovalRow,
  formatCallbackRow,
  formatQuestionRow,
  formatSecretRow,
  joinParts,
  sanitizeLine,
} from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import { createJobItem } from './job-item.js'
import { createJobsScreen } from './jobs-screen.js'
import type { KeyBinding, ListItem, ListScreen } from './pane.js'
import { createFormDraft, createQuestionPane, type FormDraft } from './question-pane.js'
import { createKeptTexts, type EnterKeptText } from './kept-text.js'
import { createLostPlanPane } from './lost-plan-pane.js'
import { createCallsScreen } from './calls-screen.js'
import { type Row, wrapText } from './rows.js'
import { createSecretPane } from './secret-pane.js'
import { createServersScreen } from './servers-screen.js'
import { createTasksScreen } from './tasks-screen.js'
import { createTextPane } from './text-pane.js'

/** How long a job that failed is among what needs the user. */
const FAILED_MS = 24 * 60 * 60_000

export function createHomeScreen(context: InboxContext): ListScreen {
  const { translator, notifications, ui, view } = context
  const { translate } = translator
  const drafts = new Map<string, FormDraft>()
  /** By project: a new version of the plan finds what was typed about the one before. */
  const planDrafts = new Map<string, PlanDecisionDraft>()
  const hidden = new Set<string>()
  const enterKeptText = createKeptTexts(ui)

  function approvalItem(approval: ApprovalView): ListItem {
    const { project } = approval
    const draft = planDrafts.get(project) ?? createPlanDecisionDraft(approval)
    planDrafts.set(project, Object.assign(draft, { goal: approval.goal }))
    const onDecided = (): void => void planDrafts.delete(project)
    return {
      value: `approval ${approval.id} ${project}`,
      group: translate('needsYou'),
      isUrgent: true,
      row: () => urgentRow(approval.waiting, formatApprovalRow(approval, translator, Date.now())),
      pane: () => createApprovalPane(context, { approval, draft, onDecided }),
    }
  }

  /** What was typed about plans that no longer wait for approval. */
  function lostPlanItems({ approvals }: ConsoleView): readonly ListItem[] {
    const open = new Set(approvals.map(({ project }) => project))
    return [...planDrafts.values()]
      .filter(({ project, comment, edited }) => !open.has(project) && (edited !== undefined || comment.trim() !== ''))
      .map((draft) => ({
        value: `lost ${draft.project}`,
        group: translate('needsYou'),
        row: () => [joinParts(translate('draftText'), sanitizeLine(draft.goal))],
        pane: () => createLostPlanPane(context, { draft, onDiscard: () => void planDrafts.delete(draft.project) }),
      }))
  }

  function questionItem(form: QuestionView): ListItem {
    const value = `question ${form.id} ${form.project}`
    const draft = drafts.get(value) ?? createFormDraft(form)
    drafts.set(value, draft)
    return {
      value,
      group: translate('needsYou'),
      isUrgent: true,
      hasDirectKeys: true,
      row: () => urgentRow(form.waiting, translate('question'), formatQuestionRow(form, translator, Date.now())),
      pane: () => createQuestionPane(context, { form, draft, onSent: () => void drafts.delete(value) }),
    }
  }

  function askedItem(asked: AskedItem): ListItem {
    if (asked.kind === 'secret') return secretItem(context, asked.secret)
    return asked.kind === 'approval' ? approvalItem(asked.approval) : questionItem(asked.question)
  }

  function failedJobItem(job: JobView): ListItem {
    return { ...createJobItem(context, job, translate('needsYou')), value: failedKey(job) }
  }

  function hide(item: ListItem): readonly KeyBinding[] {
    if (!canHide(item)) return []
    const others = needs(view()).filter(canHide)
    const hideAll = (): void => others.forEach(({ value }) => hidden.add(value))
    return [
      { keys: ['d'], hint: 'd', label: translate('hide'), run: () => void hidden.add(item.value) },
      ...(others.length > 1
        ? [{ keys: ['D'], hint: 'D', label: translate('hideAll'), isMinor: true, run: hideAll }]
        : []),
    ]
  }

  const needs = (shown: ConsoleView): readonly ListItem[] => [
    ...listAsked(shown).map(askedItem),
    ...lostPlanItems(shown),
    ...[...failedJobs(shown).map(failedJobItem), ...shown.messages.map((each) => messageItem(context, each))].filter(
      ({ value }) => !hidden.has(value),
    ),
  ]

  return {
    title: () => 'scorpiox-code inbox',
    emptyText: translate('nothingYet'),
    items() {
      const shown = view()
      return [
        ...problemItems(context),
        ...needs(shown),
        ...runningItems(context, shown),
        ...listItems(context, shown, enterKeptText),
      ]
    },
    bindings: (selected) => [
      ...(selected ? hide(selected) : []),
      {
        keys: ['n'],
        hint: 'n',
        label: translate(notifications.areOn ? 'mute' : 'unmute'),
        isMinor: true,
        run() {
          notifications.toggle()
          ui.setStatus(translate(notifications.areOn ? 'areUnmuted' : 'areMuted'))
        },
      },
    ],
  }
}

function canHide({ value }: ListItem): boolean {
  return /^(failed|message) /.test(value)
}

function secretItem(context: InboxContext, secret: SecretView): ListItem {
  const { translate } = context.translator
  return {
    value: `secret ${secret.id} ${secret.server}`,
    group: translate('needsYou'),
    isUrgent: true,
    row: () => urgentRow(true, translate('password'), formatSecretRow(secret)),
    pane: () => createSecretPane(context, secret),
  }
}

/** In a colour if a model or a command waits. */
function urgentRow(isBlocking: boolean, ...parts: readonly string[]): Row {
  const text = parts.join(' · ')
  return isBlocking ? [{ text, style: 'warning' }] : [text]
}

function failedJobs({ jobs }: ConsoleView): readonly JobView[] {
  const since = Date.now() - FAILED_MS
  return jobs.filter((job) => hasFailed(job) && (job.endedAt ?? 0) > since)
}

function failedKey({ id, project, startedAt }: JobView): string {
  return `failed ${id} ${startedAt} ${project}`
}

function messageItem(context: InboxContext, message: ConsoleView['messages'][number]): ListItem {
  const { translate } = context.translator
  return {
    value: `message ${message.id} ${message.project}`,
    group: translate('needsYou'),
    row: () => [`${translate('forModel')} · ${sanitizeLine(message.text)}`],
    pane: () => createMessagePane(context, message),
  }
}

function runningItems(context: InboxContext, { jobs, callbacks }: ConsoleView): readonly ListItem[] {
  const { translator } = context
  const { translate } = translator
  const group = translate('runningAndScheduled')
  return [
    ...jobs.filter(({ isRunning }) => isRunning).map((job) => createJobItem(context, job, group)),
    ...callbacks.map((callback): ListItem => ({
      value: `callback ${callback.slot} ${callback.session} ${callback.project}`,
      group,
      row: () => [translate('callback', { slot: formatCallbackRow(callback, translator, Date.now()) })],
      pane: () => createCallbackPane(context, callback),
    })),
  ]
}

function problemItems(context: InboxContext): readonly ListItem[] {
  const { translator, view } = context
  return view().problems.map((problem): ListItem => ({
    value: `problem ${problem}`,
    group: translator.translate('problems'),
    row: () => [{ text: sanitizeLine(problem), style: 'bad' }],
    pane: () => createTextPane(context, { heading: () => [], body: (columns) => wrapText(problem, columns, 'bad') }),
  }))
}

function listItems(context: InboxContext, shown: ConsoleView, enterKeptText: EnterKeptText): readonly ListItem[] {
  const { translate, formatNumber } = context.translator
  const { servers, projects, calls, jobs } = shown
  const group = translate('lists')
  const openTasks = projects.reduce((sum, { openTasks: count }) => sum + count, 0)
  const broken = servers.flatMap(({ tools, isGone }) => (isGone ? [] : tools)).filter(({ works }) => !works).length
  const list = (value: string, parts: readonly string[], open: () => ListScreen): ListItem => ({
    value,
    group,
    row: () => [parts.join(' · ')],
    open,
  })
  return [
    ...(jobs.length > 0
      ? [list('jobs', [translate('jobs'), formatNumber(jobs.length)], () => createJobsScreen(context))]
      : []),
    list('tasks', [translate('plansAndTasks'), translate('openCount', { n: openTasks })], () =>
      createTasksScreen(context, enterKeptText),
    ),
    list('calls', [translate('recentCalls'), formatNumber(calls.length)], () => createCallsScreen(context)),
    list(
      'servers',
      [translate('serversAndTools'), broken === 0 ? translate('allWork') : translate('brokenTools', { n: broken })],
      () => createServersScreen(context),
    ),
  ]
}
