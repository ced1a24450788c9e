// The keys that work in every view: go to a view, move through cards, command palette, list of keys. Rendered by
// console-page before the views, so that a view can replace them. Moves the focus; changes the address.

import { routeHref, VIEWS } from '../route.js'
import { useKeys } from './keys.js'
import { NAVIGATION } from './navigation.js'

interface FrameKeysProps {
  readonly openPalette: () => void
  readonly openKeys: () => void
}

export function FrameKeys({ openPalette, openKeys }: FrameKeysProps) {
  useKeys([
    { keys: '?', label: 'keys', run: openKeys },
    { keys: 'Control+k', label: 'palette', run: openPalette },
    ...VIEWS.map((name) => ({
      keys: `g ${NAVIGATION[name].key}`,
      label: name,
      run: () => void (location.hash = routeHref(name)),
    })),
    { keys: 'j', label: 'keyNext', run: () => moveToCard(1) },
    { keys: 'k', label: 'keyPrevious', run: () => moveToCard(-1) },
  ])
  return null
}

function moveToCard(step: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('main .cards > *')]
  const current = cards.findIndex((card) => card.contains(document.activeElement))
  const card = cards[Math.max(0, Math.min(cards.length - 1, current + step))]
  if (card === undefined) return
  if (!card.hasAttribute('tabindex')) card.tabIndex = -1
  card.focus({ preventScroll: true })
  card.scrollIntoView({ block: 'nearest' })
}
