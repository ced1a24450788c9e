// Calls: a list that is filtered and scrolled through the whole history, and what is open in it: a call, or the timeline of
// a session. Shown by console-page. Requests pages of calls.

import { useEffect, useRef } from 'preact/hooks'

import type { ConsoleView, ServerView } from '../../view.js'
import { ActionError } from '../components/alerts.js'
import { SplitView } from '../components/split-view.js'
import { projectNameOf } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { VirtualList } from '../components/virtual-list.js'
import { routeHref, withQuery } from '../route.js'
import { useTranslator } from '../use-translator.js'
import { CallDetail } from './call-detail.js'
import { type CallFilterQuery, CallFilters, toCallFilter } from './call-filters.js'
import { CallRow } from './call-row.js'
import { SessionTimeline } from './session-timeline.js'
import { type CallList, useCalls } from './use-calls.js'
import { useLoadUntilListed } from './use-load-until-listed.js'

interface CallsViewProps {
  readonly view: ConsoleView
  /** The call that is open, or `session` and the session whose timeline is open. */
  readonly path: readonly string[]
  readonly query: CallFilterQuery
}

/** Pixels of a row that was not measured yet. */
const ROW_HEIGHT = 76

export function CallsView({ view, path, query }: CallsViewProps) {
  const { translate } = useTranslator()
  const { calls: live, servers } = view
  const filter = toCallFilter(query)
  const list = useCalls(filter, live)
  const isFiltered = Object.values(filter).some((condition) => condition !== null)
  const [opened, session] = path
  const hrefOf = (...parts: readonly string[]): string => withQuery(routeHref('calls', ...parts), query)
  return (
    <ViewFrame
      view="calls"
      summary={{ phrase: 'callsListed', n: list.isComplete ? list.calls.length : 0 }}
      empty={{ phrase: 'callsNone', how: 'callsHow' }}
      isEmpty={!isFiltered && opened === undefined && !list.isLoading && !list.refused && list.calls.length === 0}
    >
      <SplitView
        list={<FilteredCalls list={list} query={query} servers={servers} opened={opened} hrefOf={hrefOf} />}
        detail={openDetail(opened, session, view, hrefOf)}
        detailKey={path.join('/')}
        detailLabel={translate(opened === 'session' ? 'timeline' : 'paletteCall')}
        backHref={hrefOf()}
        placeholder={translate('callChoose')}
      />
    </ViewFrame>
  )
}

type HrefOf = (...parts: readonly string[]) => string

function openDetail(
  opened: string | undefined,
  session: string | undefined,
  view: ConsoleView,
  hrefOf: HrefOf,
): preact.VNode | undefined {
  if (opened === undefined) return undefined
  if (opened === 'session') return <SessionTimeline key={session} session={session ?? ''} view={view} hrefOf={hrefOf} />
  return <CallDetail key={opened} id={opened} live={view.calls.find(({ id }) => id === opened)} hrefOf={hrefOf} />
}

interface FilteredCallsProps {
  readonly list: CallList
  readonly query: CallFilterQuery
  readonly servers: readonly ServerView[]
  readonly opened: string | undefined
  readonly hrefOf: HrefOf
}

function FilteredCalls({ list, query, servers, opened, hrefOf }: FilteredCallsProps) {
  const { translate } = useTranslator()
  const { calls, isLoading, isComplete, isHistoryOff, missing, refused, retry, loadMore } = list
  const isSearching = !isComplete && refused === undefined
  useLoadUntilListed({
    key: opened === 'session' ? undefined : opened,
    isListed: calls.some(({ id }) => id === opened),
    count: calls.length,
    loadMore,
  })
  return (
    <>
      <CallFilters query={query} calls={calls} servers={servers} />
      {isHistoryOff && <p class="quiet call-note">{translate('callsHistoryOff')}</p>}
      {missing.length > 0 && <MissingServers missing={missing} servers={servers} />}
      <ActionError result={refused} retry={retry} />
      {isLoading && <p class="quiet call-note">{translate('loading')}</p>}
      {!isLoading && calls.length === 0 && (isComplete || isSearching) && (
        <p class="quiet call-note" role="status">
          {translate(isSearching ? 'callsSearching' : 'callsNoneFound')}
        </p>
      )}
      <div class="call-list">
        <VirtualList
          items={calls}
          keyOf={({ id }) => id}
          label={translate('calls')}
          estimate={ROW_HEIGHT}
          current={opened}
          render={(call) => <CallRow call={call} href={hrefOf(call.id)} isOpen={call.id === opened} />}
        />
      </div>
      {loadMore !== undefined && <MoreCalls key={calls.length} load={loadMore} />}
    </>
  )
}

/** Some calls that only these servers have in memory may not be listed. */
function MissingServers({ missing, servers }: Pick<CallList, 'missing'> & Pick<FilteredCallsProps, 'servers'>) {
  const { translate } = useTranslator()
  const known = servers.filter(({ id }) => missing.includes(id))
  const names = known.map(({ project, pid }) => `${projectNameOf(project)} (${pid})`).join(', ')
  return (
    <p class="quiet call-note" role="status">
      {translate('callsMissing', { servers: names })}
    </p>
  )
}

/** Reads the next page when the end of the list comes near, or when it is chosen. */
function MoreCalls({ load }: { readonly load: () => void }) {
  const { translate } = useTranslator()
  const button = useRef<HTMLButtonElement>(null)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current()
      },
      { rootMargin: '1000px' },
    )
    if (button.current !== null) observer.observe(button.current)
    return () => observer.disconnect()
  }, [])
  return (
    <button ref={button} class="button more" type="button" onClick={load}>
      {translate('callsEarlier')}
    </button>
  )
}
