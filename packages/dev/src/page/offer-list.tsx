// The list of what the server offers, with a filter. Used by inspector-page.tsx. Renders only.

import { useState } from 'preact/hooks'

import type { ServerOffers } from '../view.js'
import { ANY_REQUEST } from './any-request.js'
import { KIND_TITLES, listEntries, OFFER_KINDS, type OfferKind } from './offers.js'

interface OfferListProps {
  readonly offers: ServerOffers
  /** The key of the chosen entry. */
  readonly chosen: string | undefined
}

interface OffersProps extends OfferListProps {
  /** Those of the server as a whole; '' for none. */
  readonly instructions: string
}

export function OfferList({ offers, chosen, instructions }: OffersProps) {
  const [filter, setFilter] = useState('')
  return (
    <nav class="offers" aria-label="What the server offers">
      <input
        class="field"
        type="search"
        aria-label="Filter the list"
        placeholder="Filter"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      {OFFER_KINDS.map((kind) => (
        <OfferGroup key={kind} {...{ offers, kind, chosen }} filter={filter.trim().toLowerCase()} />
      ))}
      {offers.problems.map((problem) => (
        <p key={problem} class="bad">
          {problem}
        </p>
      ))}
      <a href={`#${ANY_REQUEST}`} aria-current={chosen === ANY_REQUEST ? 'page' : undefined}>
        Any request…
      </a>
      {instructions !== '' && (
        <details>
          <summary>Server instructions</summary>
          <p class="instructions">{instructions}</p>
        </details>
      )}
    </nav>
  )
}

interface OfferGroupProps extends OfferListProps {
  readonly kind: OfferKind
  readonly filter: string
}

function OfferGroup({ offers, kind, chosen, filter }: OfferGroupProps) {
  const entries = listEntries(offers, kind)
  if (entries.length === 0) return null
  const shown = entries.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(filter))
  return (
    <section>
      <h2>
        {KIND_TITLES[kind]} <span class="quiet">{entries.length}</span>
      </h2>
      <ul>
        {shown.map(({ key, name, title }) => (
          <li key={key}>
            <a href={`#${key}`} title={name} aria-current={key === chosen ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
