// Entries of the main menu: open questions first, then running jobs and callbacks, then the other sections.

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
  /** Identifies the item across updates of the view. */
  readonly value: string
  readonly label: string
  readonly place: Place
}

export function overviewOf(view: BoardView, translator: InboxWords, now: number): readonly Item[] {
  const { say, number } = translator
  const ended = view.jobs.filter(({ isRunning }) => !isRunning)
  const items: readonly Item[] = [
    ...problemItems(view, translator),
    ...view.questions.map((question): Item => ({
      value: `question ${question.id} ${question.project}`,
      label: `${say('question')} · ${questionLine(question, translator, now)}`,
      place: { kind: 'question', question },
    })),
    ...view.jobs.filter(({ isRunning }) => isRunning).map((job) => jobItem(job, translator, now)),
    ...view.callbacks.map((callback): Item => ({
      value: `callback ${callback.slot} ${callback.session} ${callback.project}`,
      label: say('callback', { slot: callbackLine(callback, translator, now) }),
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
    ...sectionItems(view, translator),
  ]
  // With an empty view, the cursor must not start on Quit.
  const emptyItem: Item = { value: 'nothing', label: say('nothingYet'), place: { kind: 'nothing' } }
  return [...(items.length > 0 ? items : [emptyItem]), { value: 'quit', label: say('quit'), place: { kind: 'quit' } }]
}

export function endedOf({ jobs }: BoardView, translator: InboxWords, now: number): readonly Item[] {
  return jobs
    .filter(({ isRunning }) => !isRunning)
    .toSorted((first, second) => (second.endedAt ?? 0) - (first.endedAt ?? 0))
    .map((job) => jobItem(job, translator, now))
}

/** The line above the menu. */
export function headline({ questions, servers, problems }: BoardView, { say }: InboxWords): string {
  // If something could not be read, it is unknown whether there are questions.
  const noQuestionText = problems.length === 0 ? say('noQuestion') : say('problemCount', { n: problems.length })
  const questionText = questions.length === 0 ? noQuestionText : say('questionCount', { n: questions.length })
  return `scorpiox-code inbox · ${questionText} · ${say('serverCount', { n: servers.length })}`
}

export function sectionTitle(section: SectionName, { say }: InboxWords): string {
  return say(({ problems: 'problems', calls: 'recentCalls', servers: 'serversAndTools' } as const)[section])
}

export function sectionLines(
  view: BoardView,
  section: SectionName,
  translator: InboxWords,
  now: number,
): readonly string[] {
  if (section === 'problems') return view.problems.map(line)
  return section === 'calls' ? callLines(view, translator, now) : serverLines(view, translator, now)
}

function jobItem(job: JobView, translator: InboxWords, now: number): Item {
  const label = translator.say('job', { id: jobLine(job, translator, now) })
  return { value: `job ${job.id} ${job.server}`, label, place: { kind: 'job', job } }
}

function problemItems({ problems }: BoardView, translator: InboxWords): readonly Item[] {
  return problems.length === 0 ? [] : [sectionItem('problems', line(problems[0] ?? ''), translator)]
}

function sectionItems(view: BoardView, translator: InboxWords): readonly Item[] {
  const { say, number } = translator
  const brokenTools = view.servers.flatMap(({ tools }) => tools).filter(({ works }) => !works).length
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
    ...(view.calls.length > 0 ? [sectionItem('calls', number(view.calls.length), translator)] : []),
    ...(view.servers.length > 0
      ? [
          sectionItem(
            'servers',
            brokenTools === 0 ? say('allWork') : say('brokenTools', { n: brokenTools }),
            translator,
          ),
        ]
      : []),
  ]
}

function sectionItem(section: SectionName, note: string, translator: InboxWords): Item {
  return {
    value: `section ${section}`,
    label: `${sectionTitle(section, translator)} · ${note}`,
    place: { kind: 'section', section },
  }
}
