// Builds the entries of the main menu of the inbox: passwords, plans to approve and open questions first, then running jobs and
// callbacks, then the other sections. Used by screens.ts. Pure.

import type {
  ApprovalView,
  CallbackView,
  ConsoleView,
  JobView,
  MessageView,
  QuestionView,
  SecretView,
} from '../view.js'
import {
  formatApprovalRow,
  formatCallbackRow,
  formatCallRows,
  formatJobRow,
  formatQuestionRow,
  formatSecretRow,
  formatServerRows,
  sanitizeLine,
} from './format-view.js'
import type { InboxTranslator } from './inbox-context.js'

export type InboxSection = 'problems' | 'calls' | 'servers'

export type MenuTarget =
  | { readonly kind: 'secret'; readonly secret: SecretView }
  | { readonly kind: 'approval'; readonly approval: ApprovalView }
  | { readonly kind: 'question'; readonly question: QuestionView }
  | { readonly kind: 'job'; readonly job: JobView }
  | { readonly kind: 'callback'; readonly callback: CallbackView }
  | { readonly kind: 'message'; readonly message: MessageView }
  | { readonly kind: 'section'; readonly section: InboxSection }
  | { readonly kind: 'tasks' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }

export interface MenuItem {
  /** Identifies the item across updates of the view. */
  readonly value: string
  readonly label: string
  readonly target: MenuTarget
}

export function mainMenu(view: ConsoleView, translator: InboxTranslator, now: number): readonly MenuItem[] {
  const { translate, formatNumber } = translator
  const ended = view.jobs.filter(({ isRunning }) => !isRunning)
  const items: readonly MenuItem[] = [
    ...problemItems(view, translator),
    ...view.secrets.map((secret): MenuItem => ({
      value: `secret ${secret.id} ${secret.server}`,
      label: `${translate('password')} · ${formatSecretRow(secret)}`,
      target: { kind: 'secret', secret },
    })),
    ...view.approvals.map((approval): MenuItem => ({
      value: `approval ${approval.id} ${approval.project}`,
      label: formatApprovalRow(approval, translator, now),
      target: { kind: 'approval', approval },
    })),
    ...view.questions.map((question): MenuItem => ({
      value: `question ${question.id} ${question.project}`,
      label: `${translate('question')} · ${formatQuestionRow(question, translator, now)}`,
      target: { kind: 'question', question },
    })),
    ...view.jobs.filter(({ isRunning }) => isRunning).map((job) => jobItem(job, translator, now)),
    ...view.callbacks.map((callback): MenuItem => ({
      value: `callback ${callback.slot} ${callback.session} ${callback.project}`,
      label: translate('callback', { slot: formatCallbackRow(callback, translator, now) }),
      target: { kind: 'callback', callback },
    })),
    ...view.messages.map((message): MenuItem => ({
      value: `message ${message.id} ${message.project}`,
      label: `${translate('forModel')} · ${sanitizeLine(message.text)}`,
      target: { kind: 'message', message },
    })),
    ...(ended.length > 0
      ? [
          {
            value: 'ended',
            label: `${translate('endedJobs')} · ${formatNumber(ended.length)}`,
            target: { kind: 'ended' },
          } as const,
        ]
      : []),
    ...sectionItems(view, translator),
  ]
  // With an empty view, the cursor must not start on Quit.
  const emptyItem: MenuItem = { value: 'nothing', label: translate('nothingYet'), target: { kind: 'nothing' } }
  return [
    ...(items.length > 0 ? items : [emptyItem]),
    { value: 'quit', label: translate('quit'), target: { kind: 'quit' } },
  ]
}

export function endedJobsMenu({ jobs }: ConsoleView, translator: InboxTranslator, now: number): readonly MenuItem[] {
  return jobs
    .filter(({ isRunning }) => !isRunning)
    .toSorted((first, second) => (second.endedAt ?? 0) - (first.endedAt ?? 0))
    .map((job) => jobItem(job, translator, now))
}

export function formatSectionTitle(section: InboxSection, { translate }: InboxTranslator): string {
  return translate(({ problems: 'problems', calls: 'recentCalls', servers: 'serversAndTools' } as const)[section])
}

export function formatSectionLines(
  view: ConsoleView,
  section: InboxSection,
  translator: InboxTranslator,
  now: number,
): readonly string[] {
  if (section === 'problems') return view.problems.map(sanitizeLine)
  return section === 'calls' ? formatCallRows(view, translator, now) : formatServerRows(view, translator, now)
}

function jobItem(job: JobView, translator: InboxTranslator, now: number): MenuItem {
  const label = translator.translate('job', { id: formatJobRow(job, translator, now) })
  return { value: `job ${job.id} ${job.server}`, label, target: { kind: 'job', job } }
}

function problemItems({ problems }: ConsoleView, translator: InboxTranslator): readonly MenuItem[] {
  return problems.length === 0 ? [] : [sectionItem('problems', sanitizeLine(problems[0] ?? ''), translator)]
}

function sectionItems(view: ConsoleView, translator: InboxTranslator): readonly MenuItem[] {
  const { translate, formatNumber } = translator
  const brokenTools = view.servers.flatMap(({ tools }) => tools).filter(({ works }) => !works).length
  const open = view.projects.reduce((sum, { openTasks }) => sum + openTasks, 0)
  const hasTasks = view.projects.some(({ plan, openTasks }) => plan !== null || openTasks > 0)
  return [
    ...(hasTasks
      ? [
          {
            value: 'tasks',
            label: `${translate('plansAndTasks')} · ${translate('openCount', { n: open })}`,
            target: { kind: 'tasks' },
          } as const,
        ]
      : []),
    ...(view.calls.length > 0 ? [sectionItem('calls', formatNumber(view.calls.length), translator)] : []),
    ...(view.servers.length > 0
      ? [
          sectionItem(
            'servers',
            brokenTools === 0 ? translate('allWork') : translate('brokenTools', { n: brokenTools }),
            translator,
          ),
        ]
      : []),
  ]
}

function sectionItem(section: InboxSection, note: string, translator: InboxTranslator): MenuItem {
  return {
    value: `section ${section}`,
    label: `${formatSectionTitle(section, translator)} · ${note}`,
    target: { kind: 'section', section },
  }
}
