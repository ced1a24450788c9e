// The list one sees first: what waits for the person on top, then what is at work, then where to look further.

import type { BoardView, CallbackView, JobView, MessageView, QuestionView } from '../../services/board/view.js'
import type { InboxWords } from './language.js'
import { line } from './phrases.js'
import { callbackLine, callLines, jobLine, questionLine, serverLines } from './sections.js'

export type SectionName = 'problems' | 'calls' | 'servers'

export type Place =
  | { readonly kind: 'question'; readonly question: QuestionView }
  | { readonly kind: 'job'; readonly job: JobView }
  | { readonly kind: 'callback'; readonly callback: CallbackView }
  | { readonly kind: 'message'; readonly message: MessageView }
  | { readonly kind: 'section'; readonly section: SectionName }
  | { readonly kind: 'tasks' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }

export interface Item {
  /** The same as long as it is about the same thing. */
  readonly value: string
  readonly label: string
  readonly place: Place
}

export function overviewOf(view: BoardView, words: InboxWords, now: number): readonly Item[] {
  const { say, number } = words
  const ended = view.jobs.filter(({ isRunning }) => !isRunning)
  const items: readonly Item[] = [
    ...problemItems(view, words),
    ...view.questions.map((question): Item => ({
      value: `question ${question.id} ${question.project}`,
      label: `${say('question')} · ${questionLine(question, words, now)}`,
      place: { kind: 'question', question },
    })),
    ...view.jobs.filter(({ isRunning }) => isRunning).map((job) => jobItem(job, words, now)),
    ...view.callbacks.map((callback): Item => ({
      value: `callback ${callback.slot} ${callback.session} ${callback.project}`,
      label: say('callback', { slot: callbackLine(callback, words, now) }),
      place: { kind: 'callback', callback },
    })),
    ...view.messages.map((message): Item => ({
      value: `message ${message.id} ${message.project}`,
      label: `${say('forModel')} · ${line(message.text)}`,
      place: { kind: 'message', message },
    })),
    ...(ended.length > 0
      ? [{ value: 'ended', label: `${say('endedJobs')} · ${number(ended.length)}`, place: { kind: 'ended' } } as const]
      : []),
    ...furtherItems(view, words),
  ]
  // Where there is nothing yet, the cursor should not be on the way out.
  const nothing: Item = { value: 'nothing', label: say('nothingYet'), place: { kind: 'nothing' } }
  return [...(items.length > 0 ? items : [nothing]), { value: 'quit', label: say('quit'), place: { kind: 'quit' } }]
}

export function endedOf({ jobs }: BoardView, words: InboxWords, now: number): readonly Item[] {
  return jobs
    .filter(({ isRunning }) => !isRunning)
    .toSorted((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0))
    .map((job) => jobItem(job, words, now))
}

/** What stands above the list. */
export function headline({ questions, servers, problems }: BoardView, { say }: InboxWords): string {
  // Where something cannot be read nobody knows that there is no question.
  const none = problems.length === 0 ? say('noQuestion') : say('problemCount', { n: problems.length })
  const waiting = questions.length === 0 ? none : say('questionCount', { n: questions.length })
  return `scorpiox-code inbox · ${waiting} · ${say('serverCount', { n: servers.length })}`
}

export function sectionTitle(section: SectionName, { say }: InboxWords): string {
  return say(({ problems: 'problems', calls: 'recentCalls', servers: 'serversAndTools' } as const)[section])
}

export function sectionLines(view: BoardView, section: SectionName, words: InboxWords, now: number): readonly string[] {
  if (section === 'problems') return view.problems.map(line)
  return section === 'calls' ? callLines(view, words, now) : serverLines(view, words, now)
}

function jobItem(job: JobView, words: InboxWords, now: number): Item {
  const label = words.say('job', { id: jobLine(job, words, now) })
  return { value: `job ${job.id} ${job.server}`, label, place: { kind: 'job', job } }
}

function problemItems({ problems }: BoardView, words: InboxWords): readonly Item[] {
  return problems.length === 0 ? [] : [sectionItem('problems', line(problems[0] ?? ''), words)]
}

function furtherItems(view: BoardView, words: InboxWords): readonly Item[] {
  const { say, number } = words
  const broken = view.servers.flatMap(({ tools }) => tools).filter(({ works }) => !works).length
  const open = view.projects.reduce((sum, { openTasks }) => sum + openTasks, 0)
  const hasTasks = view.projects.some(({ plan, openTasks }) => plan !== null || openTasks > 0)
  return [
    ...(hasTasks
      ? [
          {
            value: 'tasks',
            label: `${say('plansAndTasks')} · ${say('openCount', { n: open })}`,
            place: { kind: 'tasks' },
          } as const,
        ]
      : []),
    ...(view.calls.length > 0 ? [sectionItem('calls', number(view.calls.length), words)] : []),
    ...(view.servers.length > 0
      ? [sectionItem('servers', broken === 0 ? say('allWork') : say('brokenTools', { n: broken }), words)]
      : []),
  ]
}

function sectionItem(section: SectionName, note: string, words: InboxWords): Item {
  return {
    value: `section ${section}`,
    label: `${sectionTitle(section, words)} · ${note}`,
    place: { kind: 'section', section },
  }
}
