// The page as a whole: bar, list, questions, the chosen entry, and the wire. Used by main.tsx.

import { useEffect, useState } from 'preact/hooks'

import type { InspectorState } from '../view.js'
import type { Api } from './api.js'
import { OfferList } from './offer-list.js'
import { OfferView } from './offer-view.js'
import { findOffer } from './offers.js'
import { ANY_REQUEST, AnyRequest } from './any-request.js'
import { QuestionCard } from './question-card.js'
import { SidePanel } from './side-panel.js'
import { StatusBar } from './status-bar.js'
import type { Calls } from './use-calls.js'
import type { InspectorData } from './use-inspector.js'

interface InspectorPageProps {
  readonly data: InspectorData & { readonly state: InspectorState }
  readonly api: Api
  readonly calls: Calls
}

export function InspectorPage({ data, api, calls }: InspectorPageProps) {
  const { state, offers, wire, output, connection } = data
  const fragment = useFragment()
  const offer = findOffer(offers, fragment)
  const name = state.server?.name
  useEffect(() => {
    document.title = name === undefined ? 'Inspector' : `${name} · Inspector`
  }, [name])
  const isReady = state.status === 'ready' && connection === 'live'
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the form
      </a>
      <StatusBar state={state} connection={connection} api={api} />
      <div class="frame">
        <OfferList
          offers={offers}
          chosen={offer?.key ?? fragment.slice(1)}
          instructions={state.server?.instructions ?? ''}
        />
        <main id="main" tabIndex={-1}>
          <Notices state={state} connection={connection} />
          <div aria-live="polite">
            {state.questions.map((question) => (
              <QuestionCard
                key={question.id}
                question={question}
                answer={(outcome) => void api.answer(question.id, outcome)}
              />
            ))}
          </div>
          {fragment === `#${ANY_REQUEST}` ? (
            <AnyRequest calls={calls} canCall={isReady} />
          ) : offer ? (
            <OfferView
              key={offer.key}
              {...{ offer, api, calls }}
              canCall={isReady}
              capabilities={state.server?.capabilities ?? {}}
            />
          ) : (
            <p class="quiet">
              {isReady ? 'Choose something from the list.' : 'The list appears when the server is ready.'}
            </p>
          )}
        </main>
        <SidePanel wire={wire} output={output} />
      </div>
    </>
  )
}

function Notices({ state, connection }: Pick<InspectorData, 'connection'> & { readonly state: InspectorState }) {
  const { problem, status } = state
  return (
    <div role="alert" class="notices">
      {connection === 'lost' && (
        <p class="card problem">The dev command has ended or does not respond. Start it again.</p>
      )}
      {problem && (
        <section class="card problem">
          <h2>{problem.message}</h2>
          {problem.output !== '' && <pre tabIndex={0}>{problem.output}</pre>}
          {status === 'failed' && <p class="quiet">It is started again when you save a file.</p>}
        </section>
      )}
    </div>
  )
}

/** The fragment of the address, which names the chosen entry. */
function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash)
  useEffect(() => {
    const onChange = (): void => setFragment(location.hash)
    addEventListener('hashchange', onChange)
    // It may have changed before this effect.
    onChange()
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return fragment
}

/** The fragment names an entry, so the link cannot use it. */
function focusMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
