// The timeline of a session: calls, jobs, questions, approvals, callbacks and messages as bars on one axis of time, and
// what waited for what. It is a list, so that keyboard and screen reader get the same. Shown by calls.tsx. Requests the
// timeline.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import {
  type ConsoleView,
  describeTimelineParts,
  type SessionTimeline as Timeline,
  type TimelineEntry,
} from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Icon, type IconName } from '../components/icon.js'
import { ProjectName, UntrustedText } from '../components/text.js'
import { VirtualList } from '../components/virtual-list.js'
import { routeHref } from '../route.js'
import { useAction } from '../use-console.js'
import { useNow } from '../use-now.js'
import { useServers } from '../use-servers.js'
import { useThrottled } from '../use-throttled.js'
import { useTranslator } from '../use-translator.js'
import { OUTCOME_NAMES } from './call-filters.js'

interface SessionTimelineProps {
  readonly session: string
  /** The timeline is read again when something in it changes. */
  readonly view: ConsoleView
  readonly hrefOf: (...parts: readonly string[]) => string
}

const ROW_HEIGHT = 44
/** Between two requests. */
const READ_AGAIN_MS = 1000

export function SessionTimeline({ session, view, hrefOf }: SessionTimelineProps) {
  const { translate, formatDateTime, formatDuration } = useTranslator()
  const { timeline, refused, retry } = useTimeline(session, describeTimelineParts(view, session))
  const now = useNow()
  if (timeline === undefined)
    return refused === undefined ? (
      <p class="quiet">{translate('loading')}</p>
    ) : (
      <ActionError result={refused} retry={retry} />
    )
  const { entries, client, project, hasEarlier } = timeline
  const from = entries[0]?.from ?? now
  const to = Math.max(from + 1, ...entries.map((entry) => entry.to ?? now))
  return (
    <article class="card timeline">
      <ActionError result={refused} retry={retry} />
      <div class="title">
        <h2>{translate('timeline')}</h2>
        <a class="button" href={`${routeHref('calls')}?${new URLSearchParams({ session }).toString()}`}>
          {translate('timelineCalls')}
        </a>
      </div>
      <p class="meta">
        <bdi>{client === '' ? translate('callClientUnknown') : client}</bdi>
        <ProjectName path={project} />
        <span>{translate('timelineSpan', { from: formatDateTime(from), duration: formatDuration(to - from) })}</span>
      </p>
      {hasEarlier && <p class="quiet">{translate('timelineEarlier')}</p>}
      <p class="quiet timeline-legend">{translate('timelineHow')}</p>
      <Axis span={to - from} />
      <VirtualList
        items={entries}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        label={translate('timeline')}
        estimate={ROW_HEIGHT}
        render={(entry) => <Entry entry={entry} project={project} span={{ from, to, now }} hrefOf={hrefOf} />}
      />
    </article>
  )
}

const TICKS = [0, 0.25, 0.5, 0.75, 1]

/** The time since the beginning. */
function Axis({ span }: { readonly span: number }) {
  const { formatDuration, formatNumber } = useTranslator()
  // Short enough for five of them.
  const unit = span < 10_000 ? 1 : span < 3_600_000 ? 1000 : 60_000
  const ticks = TICKS.map((part) => Math.round((span * part) / unit) * unit)
  return (
    <div class="timeline-row timeline-axis" aria-hidden="true">
      <span />
      <span class="timeline-ticks">
        {ticks.map((ms, index) => (
          <span key={index}>{ms === 0 ? formatNumber(0) : formatDuration(ms)}</span>
        ))}
      </span>
      <span />
    </div>
  )
}

/** Reads it again when something changes: one request at a time, and not one for each change. */
function useTimeline(session: string, changes: string) {
  const act = useAction()
  const { isConnected } = useServers()
  const [timeline, setTimeline] = useState<Timeline>()
  const [refused, setRefused] = useState<ActionResult>()
  const [isLoading, setLoading] = useState(false)
  const [readFor, setReadFor] = useState<string>()
  const [count, setCount] = useState(0)
  const version = `${count} ${changes}`
  const retry = (): void => setCount((before) => before + 1)
  const isFirst = useRef(true)
  useEffect(() => {
    if (isConnected && !isFirst.current) retry()
    isFirst.current = false
  }, [isConnected])
  useThrottled(version !== readFor && !isLoading && isConnected, READ_AGAIN_MS, () => {
    setLoading(true)
    setReadFor(version)
    void act('timeline', { session }).then((result) => {
      setLoading(false)
      setRefused(result.ok ? undefined : result)
      if (result.ok && isTimeline(result.value)) setTimeline(result.value)
    })
  })
  return { timeline, refused, retry }
}

function isTimeline(value: unknown): value is Timeline {
  return typeof value === 'object' && value !== null && 'entries' in value && Array.isArray(value.entries)
}

interface Span {
  readonly from: number
  readonly to: number
  readonly now: number
}

const KIND_ICONS: Readonly<Record<TimelineEntry['kind'], IconName>> = {
  call: 'calls',
  job: 'jobs',
  question: 'home',
  approval: 'plans',
  callback: 'callbacks',
  message: 'callbacks',
}

/** What waited for what. */
const KIND_PHRASES: Readonly<Record<TimelineEntry['kind'], TranslationKey>> = {
  call: 'timelineCall',
  job: 'timelineJob',
  question: 'timelineQuestion',
  approval: 'timelineApproval',
  callback: 'timelineCallback',
  message: 'timelineMessage',
}

interface EntryProps {
  readonly entry: TimelineEntry
  readonly project: string
  readonly span: Span
  readonly hrefOf: SessionTimelineProps['hrefOf']
}

function Entry({ entry, project, span, hrefOf }: EntryProps) {
  const { translate, formatDuration } = useTranslator()
  const { kind, label, outcome } = entry
  const duration = formatDuration((entry.to ?? span.now) - entry.from)
  const hasEnded = kind === 'callback' && entry.to !== null
  const phrase = translate(hasEnded ? 'timelineCallbackEnded' : KIND_PHRASES[kind], { duration })
  const start = (entry.from - span.from) / (span.to - span.from)
  const length = ((entry.to ?? span.now) - entry.from) / (span.to - span.from)
  return (
    <a class={`timeline-row ${kind} ${outcome ?? ''}`} href={hrefOfEntry(entry, project, hrefOf)} title={phrase}>
      <span class="timeline-label">
        <Icon of={KIND_ICONS[kind]} />
        <UntrustedText text={label} />
      </span>
      <span class="timeline-bar" aria-hidden="true">
        <i style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${Math.max(0, length) * 100}%` }} />
      </span>
      <span class="timeline-duration" aria-hidden="true">
        {duration}
      </span>
      <span class="unseen">
        {outcome !== null && `${translate(OUTCOME_NAMES[outcome])}. `}
        {phrase}
        {entry.to === null && ` ${translate('timelineOpen')}`}
      </span>
    </a>
  )
}

function hrefOfEntry(
  { kind, id, server }: TimelineEntry,
  project: string,
  hrefOf: SessionTimelineProps['hrefOf'],
): string {
  if (kind === 'call') return hrefOf(id)
  if (kind === 'job') return routeHref('jobs', server ?? project, id)
  return routeHref(kind === 'callback' || kind === 'message' ? 'callbacks' : 'home')
}
