// Heading of a view, and its content or empty state; which of its cards has the focus. Used by all views and console-page.
// Renders only.

import type { ComponentChildren } from 'preact'

import type { TranslationKey } from '../../i18n/translator.js'
import type { ViewName } from '../route.js'
import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { TranslatedText } from './text.js'

interface ViewFrameProps {
  readonly view: ViewName
  readonly summary: { readonly phrase: TranslationKey; readonly n: number }
  readonly empty: {
    readonly phrase: TranslationKey
    readonly how: TranslationKey
    readonly tool?: string
    readonly other?: string
  }
  readonly isEmpty: boolean
  readonly children: ComponentChildren
}

export function ViewFrame({ view, summary, empty, isEmpty, children }: ViewFrameProps) {
  const { translate } = useTranslator()
  return (
    <>
      <div class="heading">
        <h1>{translate(view)}</h1>
        {summary.n > 0 && <p class="quiet">{translate(summary.phrase, { n: summary.n })}</p>}
      </div>
      {isEmpty ? (
        <div class="empty">
          <Icon of={view} />
          <p class="what">{translate(empty.phrase)}</p>
          <p class="quiet">
            <TranslatedText
              textKey={empty.how}
              values={{ tool: <code>{empty.tool}</code>, other: <code>{empty.other}</code> }}
            />
          </p>
        </div>
      ) : (
        children
      )}
    </>
  )
}

/** Called when what a card asks was answered: what to tell the user, and the card that had the focus when it was sent. */
export type SettledHandler = (text: string, card: Element | null) => void

export function findFocusedCard(): Element | null {
  return document.activeElement?.closest('.card') ?? null
}
