// Heading of a view, and its content or empty state. Used by all views. Renders only.

import type { ComponentChildren } from 'preact'

import type { TranslationKey } from '../../i18n/translator.js'
import type { Route } from '../route.js'
import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { TranslatedText } from './text.js'

interface ViewFrameProps {
  readonly route: Route
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

export function ViewFrame({ route, summary, empty, isEmpty, children }: ViewFrameProps) {
  const { translate } = useTranslator()
  return (
    <>
      <div class="heading">
        <h1>{translate(route)}</h1>
        {summary.n > 0 && <p class="quiet">{translate(summary.phrase, { n: summary.n })}</p>}
      </div>
      {isEmpty ? (
        <div class="empty">
          <Icon of={route} />
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
