// The filter of the list of calls: text, tool, outcome and session. It is in the address, so that it survives a reload and
// can be shared. Used by calls.tsx. Changes the address.

import { useEffect, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { CallView, ServerView } from '../../view.js'
import { Icon } from '../components/icon.js'
import { projectNameOf } from '../components/text.js'
import { withQuery } from '../route.js'
import { useTranslator } from '../use-translator.js'
import type { CallFilter } from './loaded-calls.js'

export type CallFilterQuery = Readonly<Record<string, string>>

const OUTCOMES = ['ok', 'error', 'cancelled', 'running'] as const

export const OUTCOME_NAMES: Readonly<Record<CallView['outcome'], TranslationKey>> = {
  ok: 'ok',
  error: 'failed',
  cancelled: 'cancelled',
  running: 'running',
}

export function toCallFilter({ text = '', tool = '', session = '', outcome = '' }: CallFilterQuery): CallFilter {
  return {
    project: null,
    text: text.trim() === '' ? null : text.trim(),
    tool: tool === '' ? null : tool,
    session: session === '' ? null : session,
    outcome: OUTCOMES.find((each) => each === outcome) ?? null,
  }
}

/** Requests wait until the text has not changed for this long. */
const TYPING_MS = 300

interface CallFiltersProps {
  readonly query: CallFilterQuery
  /** The calls that are known, for what can be chosen. */
  readonly calls: readonly CallView[]
  readonly servers: readonly ServerView[]
}

export function CallFilters({ query, calls, servers }: CallFiltersProps) {
  const { translate } = useTranslator()
  const change = (changed: CallFilterQuery): void => {
    const [path] = location.hash.split('?')
    location.replace(withQuery(path ?? '#/calls', { ...query, ...changed }))
  }
  const tools = listChoices(query.tool, [
    ...servers.flatMap((server) => server.tools.map(({ name }) => name)),
    ...calls.map(({ tool }) => tool),
  ])
  const sessions = new Map(calls.map((call) => [call.session, describeSession(call)]))
  const sessionIds = listChoices(query.session, [...sessions.keys()])
  return (
    <search class="call-filters">
      <div class="first-row">
        <SearchField text={query.text ?? ''} change={(text) => change({ text })} />
        {Object.values(toCallFilter(query)).some((condition) => condition !== null) && (
          <button class="button" type="button" onClick={() => change({ text: '', tool: '', outcome: '', session: '' })}>
            {translate('callFilterClear')}
          </button>
        )}
      </div>
      <Choice label="callTool" value={query.tool ?? ''} all="callToolAll" change={(tool) => change({ tool })}>
        {tools.map((tool) => (
          <option key={tool} value={tool}>
            {tool}
          </option>
        ))}
      </Choice>
      <Choice
        label="callOutcome"
        value={query.outcome ?? ''}
        all="callOutcomeAll"
        change={(outcome) => change({ outcome })}
      >
        {OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {translate(OUTCOME_NAMES[outcome])}
          </option>
        ))}
      </Choice>
      <Choice
        label="callSession"
        value={query.session ?? ''}
        all="callSessionAll"
        change={(session) => change({ session })}
      >
        {sessionIds.map((session) => (
          <option key={session} value={session}>
            {sessions.get(session) ?? session.slice(0, 8)}
          </option>
        ))}
      </Choice>
    </search>
  )
}

/** Sorted, each once, with what is chosen now. */
function listChoices(chosen: string | undefined, values: readonly string[]): readonly string[] {
  return [...new Set([...(chosen ? [chosen] : []), ...values])].sort()
}

function describeSession({ client, project, session }: CallView): string {
  return `${[client, projectNameOf(project)].filter((part) => part !== '').join(' · ')} (${session.slice(0, 8)})`
}

function SearchField({ text, change }: { readonly text: string; readonly change: (text: string) => void }) {
  const { translate } = useTranslator()
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return undefined
    const timer = setTimeout(() => change(typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label class="call-search">
      <span class="unseen">{translate('callSearch')}</span>
      <Icon of="search" />
      <input
        type="search"
        dir="auto"
        maxLength={1000}
        placeholder={translate('callSearch')}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  )
}

interface ChoiceProps {
  readonly label: TranslationKey
  readonly all: TranslationKey
  readonly value: string
  readonly change: (value: string) => void
  readonly children: readonly preact.ComponentChild[]
}

function Choice({ label, all, value, change, children }: ChoiceProps) {
  const { translate } = useTranslator()
  return (
    <select aria-label={translate(label)} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
      <option value="">{translate(all)}</option>
      {children}
    </select>
  )
}
