// A list and what is open in it: side by side on a wide screen; on a small one either the list or, with a link back,
// what is open. Used by views whose items open. Moves the focus into what was opened.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { useKeys } from './keys.js'
import { SplitDivider, useSplitShare } from './split-divider.js'

interface SplitViewProps {
  readonly list: ComponentChildren
  /** Undefined: nothing is open. */
  readonly detail: ComponentChildren | undefined
  /** Identifies what is open. */
  readonly detailKey: string
  /** Accessible name of what is open. */
  readonly detailLabel: string
  /** The address of the list. */
  readonly backHref: string
  /** Shown on wide screens while nothing is open. */
  readonly placeholder: string
  /** Nothing else is in the list: only what is open is shown. */
  readonly isAlone?: boolean
}

export function SplitView({ list, detail, backHref, placeholder, isAlone = false, ...props }: SplitViewProps) {
  const { detailKey, detailLabel } = props
  const { translate } = useTranslator()
  const split = useSplitShare()
  const pane = useRef<HTMLElement>(null)
  const isOpen = detail !== undefined
  const shown = useRef(isOpen ? detailKey : undefined)
  useEffect(() => {
    const before = shown.current
    shown.current = isOpen ? detailKey : undefined
    if (isOpen && before !== detailKey) pane.current?.focus({ preventScroll: true })
  }, [isOpen, detailKey])
  useKeys(isOpen && !isAlone ? [{ keys: 'Escape', label: 'keyBack', run: () => void (location.hash = backHref) }] : [])
  return (
    <div
      class={isAlone ? 'split open alone' : isOpen ? 'split open' : 'split'}
      style={{ '--split-share': `${split.share}%` }}
    >
      {!isAlone && <div class="split-list">{list}</div>}
      {!isAlone && <SplitDivider {...split} />}
      <section ref={pane} class="split-detail" aria-label={isOpen ? detailLabel : placeholder} tabIndex={-1}>
        {isOpen ? (
          <>
            {!isAlone && (
              <a class="button back" href={backHref}>
                <Icon of="back" />
                {translate('backToList')}
              </a>
            )}
            {detail}
          </>
        ) : (
          <p class="quiet split-placeholder">{placeholder}</p>
        )}
      </section>
    </div>
  )
}
