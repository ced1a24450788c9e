// Search in the output of a job: marks what it finds in the shown part, and goes on in the other parts. Shown by
// job-output.tsx. Requests the other parts through use-find-in-parts.ts.

import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import { type JobView, MAX_QUERY_CHARACTERS } from '../../view.js'
import { ActionError } from '../components/alerts.js'
import { useKeys } from '../components/keys.js'
import { useFindInParts } from '../use-find-in-parts.js'
import type { JobOutputPart, OutputPartRequest } from '../use-job-output.js'
import { MAX_FOUND, type SearchLanding, type SearchStep, useOutputSearch } from '../use-output-search.js'
import { useTranslator } from '../use-translator.js'

interface OutputSearchProps {
  readonly job: JobView
  readonly box: RefObject<HTMLPreElement | null>
  readonly part: JobOutputPart | undefined
  readonly show: (wanted: OutputPartRequest) => void
}

export function OutputSearch({ job, box, part, show }: OutputSearchProps) {
  const { translate } = useTranslator()
  const field = useRef<HTMLInputElement>(null)
  const landing = useRef<SearchLanding | undefined>(undefined)
  const [query, setQuery] = useState('')
  const { count, current, move } = useOutputSearch(box, query, part, landing)
  const isWhole = part === undefined || (part.from === 0 && part.next >= part.size)
  const others = useFindInParts(job, part, query, count === 0 && !isWhole)
  useKeys([
    {
      keys: '/',
      label: 'keySearch',
      run() {
        field.current?.focus()
        field.current?.select()
      },
    },
  ])

  const go = async (step: SearchStep): Promise<void> => {
    const next = current + step
    if (isWhole || query === '' || (next >= 0 && next < count)) return move(step)
    const found = await others.find(step)
    if (found === null) return move(step)
    landing.current = { step, leftFrom: part.from }
    show(found)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    event.preventDefault()
    if (event.key === 'Enter') return void go(event.shiftKey ? -1 : 1)
    // Not further: it would close what is open.
    event.stopPropagation()
    setQuery('')
    box.current?.focus()
  }
  const canMove = count > 0 || others.state === 'found'
  const button = (name: TranslationKey, sign: string, step: SearchStep) => (
    <button
      class="button small plain"
      type="button"
      aria-label={translate(name)}
      title={translate(name)}
      aria-disabled={!canMove}
      onClick={() => canMove && void go(step)}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  )
  return (
    <>
      <div class="output-search" role="search">
        <input
          ref={field}
          class="field"
          type="search"
          aria-label={translate('outputSearch')}
          placeholder={translate('outputSearch')}
          maxLength={MAX_QUERY_CHARACTERS}
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <span class="quiet count" role="status">
          {query !== '' && <FoundState count={count} current={current} isWhole={isWhole} others={others.state} />}
        </span>
        {button('foundPrevious', '↑', -1)}
        {button('foundNext', '↓', 1)}
      </div>
      {others.refused !== undefined && <ActionError result={others.refused} />}
    </>
  )
}

interface FoundStateProps {
  readonly count: number
  readonly current: number
  readonly isWhole: boolean
  readonly others: ReturnType<typeof useFindInParts>['state']
}

function FoundState({ count, current, isWhole, others }: FoundStateProps) {
  const { translate, formatNumber } = useTranslator()
  if (others === 'searching') return <>{translate('foundSearching')}</>
  if (count === 0) {
    if (isWhole || others === 'none') return <>{translate('foundNothing')}</>
    return others === 'found' ? <>{translate('foundElsewhere')}</> : null
  }
  const n = `${formatNumber(count)}${count === MAX_FOUND ? '+' : ''}`
  return <>{translate(isWhole ? 'foundAt' : 'foundInPart', { at: formatNumber(current + 1), n })}</>
}
