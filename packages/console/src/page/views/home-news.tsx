// What happened and may need the user: failed jobs, and callbacks and late answers that wait for the model. Each leads to
// its place and can be hidden. Used by Home. Renders only.

import { useId } from 'preact/hooks'

import { formatExitCode, hasFailed, jobEndingKey } from '../../i18n/job-ending.js'
import type { TranslationKey } from '../../i18n/translator.js'
import type { ConsoleView, JobView, MessageView } from '../../view.js'
import { Icon } from '../components/icon.js'
import { stripControls } from '../components/strip-controls.js'
import { ClientName, ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { routeHref, type ViewName } from '../route.js'
import { useTranslator } from '../use-translator.js'

interface NewsItem {
  /** Identifies it in this browser. */
  readonly key: string
  readonly href: string
  readonly text: string
  readonly isCommand: boolean
  /** The last line that a job has printed, which often says why it failed. */
  readonly lastLine: string
  readonly project: string
  readonly client: string | undefined
  readonly at: number
  readonly state: NewsState
}

type NewsState = { readonly phrase: TranslationKey; readonly code?: string | undefined; readonly isBad: boolean }

/** Newest first. Jobs that were killed on request have not failed. */
export function listFailedJobs(jobs: readonly JobView[]): readonly NewsItem[] {
  return jobs
    .filter(hasFailed)
    .map((job) => ({
      key: `job ${job.server} ${job.id}`,
      href: routeHref('jobs', job.server, job.id),
      text: job.command,
      isCommand: true,
      lastLine: findLastLine(job.tail),
      project: job.project,
      client: job.client,
      at: job.endedAt ?? job.startedAt,
      state: { phrase: job.ending === 'exit' ? 'exitCode' : jobEndingKey(job), code: formatExitCode(job), isBad: true },
    }))
    .sort((a, b) => b.at - a.at)
}

function findLastLine(tail: string): string {
  return tail.split('\n').findLast((line) => line.trim() !== '') ?? ''
}

export function listMessages(messages: readonly MessageView[]): readonly NewsItem[] {
  return messages
    .map((message) => ({
      key: `message ${message.project} ${message.id}`,
      href: routeHref('callbacks'),
      text: message.text,
      isCommand: false,
      lastLine: '',
      project: message.project,
      client: message.client,
      at: message.createdAt,
      state: { phrase: MESSAGE_PHRASES[message.kind], isBad: false },
    }))
    .sort((a, b) => b.at - a.at)
}

const MESSAGE_PHRASES = { answer: 'messageAnswer', callback: 'messageCallback' } as const

/** What needs the user: what is asked, and what happened and is not hidden. The heading and the navigation show it. */
export function countHomeItems(view: ConsoleView, isHidden: (key: string) => boolean): number {
  const news = [...listFailedJobs(view.jobs), ...listMessages(view.messages)]
  const asked = view.secrets.length + view.approvals.length + view.questions.length
  return asked + news.filter(({ key }) => !isHidden(key)).length
}

/** Their view lists the rest. */
const SHOWN = 8

interface NewsSectionProps {
  readonly title: TranslationKey
  readonly items: readonly NewsItem[]
  readonly moreView: ViewName
  readonly hide: (keys: readonly string[]) => void
}

export function NewsSection({ title, items, moreView, hide }: NewsSectionProps) {
  const { translate } = useTranslator()
  const id = useId()
  if (items.length === 0) return null
  const hidden = items.length - SHOWN
  return (
    <section class="news" aria-labelledby={id}>
      <div class="foot">
        <h2 id={id}>{translate(title)}</h2>
        {items.length > 1 && (
          <button class="button small" type="button" onClick={() => hide(items.map(({ key }) => key))}>
            {translate('hideAll')}
            <span class="unseen">: {translate(title)}</span>
          </button>
        )}
      </div>
      <ul class="card">
        {items.slice(0, SHOWN).map((item) => (
          <News key={item.key} item={item} hide={() => hide([item.key])} />
        ))}
      </ul>
      {hidden > 0 && (
        <a class="button more" href={routeHref(moreView)}>
          {translate('homeMore', { n: hidden })}
        </a>
      )}
    </section>
  )
}

function News({ item, hide }: { readonly item: NewsItem; readonly hide: () => void }) {
  const { translate } = useTranslator()
  const { text, isCommand, lastLine, project, client, at, state } = item
  return (
    <li>
      {state.isBad && <Icon of="cross" tone="bad" />}
      <div class="what">
        <a href={item.href} class={isCommand ? 'command' : 'text'} dir={isCommand ? 'ltr' : undefined}>
          {isCommand ? stripControls(text) : <UntrustedText text={text} />}
        </a>
        {lastLine !== '' && (
          <code class="last-line" dir="ltr">
            {stripControls(lastLine)}
          </code>
        )}
        <p class="meta">
          <span class={state.isBad ? 'bad' : ''}>{translate(state.phrase, { code: state.code ?? '' })}</span>
          <ProjectName path={project} />
          <ClientName client={client} />
          <RelativeTime at={at} />
        </p>
      </div>
      <button class="button small" type="button" onClick={hide}>
        {translate('hide')}
        <span class="unseen">: {text.slice(0, 80)}</span>
      </button>
    </li>
  )
}
