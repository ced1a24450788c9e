// The timeline of a session: its calls, jobs, questions, approvals, callbacks and messages, each with a bar that shows
// when, and who waited for it. An entry opens what it is about, as far as that is still listed. Opened by calls-screen.ts.
// Reads the timeline through the console; sets a timer.

import { Failure } from '@scorpiox/mcp/errors'
import type { TranslationKey } from '../i18n/translator.js'
import { type CallView, describeTimelineParts, type SessionTimeline, type TimelineEntry } from '../view.js'
import { createCallPane } from './call-pane.js'
import { createCallbackPane, createMessagePane } from './callback-panes.js'
import { joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import { createJobPane } from './job-pane.js'
import type { ListItem, ListScreen, Pane } from './pane.js'
import { type Row, type Style, wrapText } from './rows.js'
import { createTextPane } from './text-pane.js'

const BAR_COLUMNS = 20
/** Between two requests. */
const READ_AGAIN_MS = 1000

const KINDS = {
  call: { phrase: 'timelineCall', bar: '█' },
  question: { phrase: 'timelineQuestion', bar: '█' },
  approval: { phrase: 'timelineApproval', bar: '█' },
  job: { phrase: 'timelineJob', bar: '░' },
  callback: { phrase: 'timelineCallback', bar: '░' },
  message: { phrase: 'timelineMessage', bar: '░' },
} as const satisfies Readonly<Record<TimelineEntry['kind'], { readonly phrase: TranslationKey; readonly bar: string }>>

const NAMES = {
  question: 'question',
  approval: 'planApproval',
  callback: 'messageCallback',
  message: 'forModel',
} as const

const STYLES: Readonly<Record<string, Style>> = { error: 'bad', running: 'accent', cancelled: 'dim' }

export function createTimelineScreen(context: InboxContext, session: string): ListScreen {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  let timeline: SessionTimeline | undefined
  let problem = ''
  let isLoading = false
  /** What had happened when it was read. */
  let loadedFor = ''
  let loadedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  async function load(): Promise<void> {
    isLoading = true
    try {
      timeline = await userConsole.readTimeline(session)
      problem = ''
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problem = error.message
    }
    isLoading = false
    ui.redraw()
  }

  /** One request at a time, and not one for each change. */
  function loadIfChanged(): void {
    const key = describeTimelineParts(view(), session)
    if (isLoading || key === loadedFor) return
    const waitMs = loadedAt + READ_AGAIN_MS - performance.now()
    if (waitMs > 0) {
      timer ??= setTimeout(() => ui.redraw(), waitMs).unref()
      return
    }
    clearTimeout(timer)
    timer = undefined
    loadedFor = key
    loadedAt = performance.now()
    void load()
  }

  function entryItem(shown: SessionTimeline, entry: TimelineEntry, from: number, to: number): ListItem {
    const { kind, id, label, outcome } = entry
    const style = STYLES[outcome ?? '']
    const text = joinParts(formatSpan(entry), nameOf(entry), sanitizeLine(label))
    return {
      value: `${kind} ${id}`,
      row: (): Row => [{ text: drawBar(entry, from, to), style: 'accent' }, ' ', style ? { text, style } : text],
      pane: () => entryPane(shown, entry),
    }
  }

  function entryPane({ project, client }: SessionTimeline, entry: TimelineEntry): Pane {
    const { kind, id, label } = entry
    const { jobs, callbacks, messages } = view()
    const job = jobs.find((each) => kind === 'job' && `${each.id}` === id && each.project === project)
    const message = messages.find((each) => kind === 'message' && `${each.id}` === id && each.project === project)
    const callback = callbacks.find(
      (each) =>
        kind === 'callback' && entry.to === null && `${each.slot}` === id.split(' ')[0] && each.session === session,
    )
    if (kind === 'call')
      return createCallPane(context, toCall(entry, { project, client, session }), () => describe(entry))
    if (job) return createJobPane(context, job)
    if (message) return createMessagePane(context, message)
    if (callback) return createCallbackPane(context, callback)
    return createTextPane(context, {
      heading: (columns) => wrapText(describe(entry), columns, 'accent'),
      body: (columns) => wrapText(label, columns),
    })
  }

  /** The label of a call begins with its tool. */
  function nameOf({ kind, id }: TimelineEntry): string {
    if (kind === 'job') return translate('job', { id })
    return kind === 'call' ? '' : translate(NAMES[kind])
  }

  function formatSpan({ kind, from, to }: TimelineEntry): string {
    if (to !== null) return translator.formatDuration(to - from)
    return translate(kind === 'call' || kind === 'job' ? 'runningNow' : 'waitingNow')
  }

  function describe(entry: TimelineEntry): string {
    const { kind, from, to } = entry
    const duration = translator.formatDuration((to ?? Date.now()) - from)
    const hasEnded = kind === 'callback' && to !== null
    const sentence = translate(hasEnded ? 'timelineCallbackEnded' : KINDS[kind].phrase, { duration })
    return joinParts(translator.formatDateTime(from), to === null && translate('timelineOpen'), sentence)
  }

  return {
    title: () => joinParts(translate('timeline'), sanitizeLine(timeline?.client ?? '')),
    get emptyText() {
      return problem === '' ? translate('loading') : sanitizeLine(problem)
    },
    items() {
      loadIfChanged()
      if (!timeline) return []
      const shown = timeline
      const { entries, hasEarlier } = shown
      const from = entries[0]?.from ?? 0
      const to = Math.max(from + 1, ...entries.map((entry) => entry.to ?? Date.now()))
      const earlier: ListItem = {
        value: 'earlier',
        row: () => [{ text: translate('timelineEarlier'), style: 'dim' }],
      }
      return [...(hasEarlier ? [earlier] : []), ...entries.map((entry) => entryItem(shown, entry, from, to))]
    },
  }
}

/** What is known before the call is read: the label begins with the tool. */
function toCall(
  { id, label, from, to, outcome }: TimelineEntry,
  source: Pick<CallView, 'project' | 'client' | 'session'>,
): CallView {
  const [tool = '', ...about] = label.split(' ')
  const [server = ''] = id.split('.')
  const call = { id, server, tool, about: about.join(' '), startedAt: from, ms: (to ?? from) - from, error: null }
  return { ...source, ...call, outcome: outcome ?? 'ok' }
}

/** At least one column, at its place between the first and the last moment. */
function drawBar({ kind, from, to }: TimelineEntry, first: number, last: number): string {
  const column = (at: number): number => Math.floor(((at - first) / (last - first)) * (BAR_COLUMNS - 1))
  const start = Math.min(BAR_COLUMNS - 1, Math.max(0, column(from)))
  const end = Math.min(BAR_COLUMNS - 1, Math.max(start, column(to ?? last)))
  return ' '.repeat(start) + KINDS[kind].bar.repeat(end - start + 1) + ' '.repeat(BAR_COLUMNS - 1 - end)
}
