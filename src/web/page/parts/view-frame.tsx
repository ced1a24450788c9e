// Heading of a view, and its content or empty state.

import type { ComponentChildren } from 'preact'

import type { Key } from '../../../services/board/languages/phrase.js'
import type { Route } from '../route.js'
import { useWords } from '../speech.js'
import { Icon } from './icon.js'
import { Said } from './said.js'

interface ViewFrameProps {
  readonly route: Route
  readonly summary: { readonly phrase: Key; readonly n: number }
  readonly empty: { readonly phrase: Key; readonly how: Key; readonly tool?: string; readonly other?: string }
  readonly isEmpty: boolean
  readonly children: ComponentChildren
}

export function ViewFrame({ route, summary, empty, isEmpty, children }: ViewFrameProps) {
  const { say } = useWords()
  return (
    <>
      <div class="heading">
        <h1>{say(route)}</h1>
        {summary.n > 0 && <p class="quiet">{say(summary.phrase, { n: summary.n })}</p>}
      </div>
      {isEmpty ? (
        <div class="empty">
          <Icon of={route} />
          <p class="what">{say(empty.phrase)}</p>
          <p class="quiet">
            <Said phrase={empty.how} places={{ tool: <code>{empty.tool}</code>, other: <code>{empty.other}</code> }} />
          </p>
        </div>
      ) : (
        children
      )}
    </>
  )
}
