// The order of what waits for the user on Home, and which question takes the number keys. Used by home.tsx. Sets a timer.

import { useEffect, useRef, useState } from 'preact/hooks'

import { findFocusedCard } from '../components/view-frame.js'

/** While a card has the focus, no card moves: new ones are inserted behind it. */
export function useStableOrder(keys: readonly string[]): readonly string[] {
  const before = useRef<readonly string[]>([])
  const focused = findFocusedCard()?.getAttribute('data-key') ?? undefined
  const order = focused === undefined ? keys : keepOrder(before.current, keys, focused)
  before.current = order
  return order
}

export function keepOrder(before: readonly string[], keys: readonly string[], focused: string): readonly string[] {
  const known = before.filter((key) => keys.includes(key))
  const place = known.indexOf(focused) + 1
  const added = keys.filter((key) => !before.includes(key))
  return [...known.slice(0, place), ...added, ...known.slice(place)]
}

/** Keys that were meant for a question that has just disappeared must not answer the next one. */
const PAUSE_MS = 700

export interface KeyedQuestion {
  /** The key of the question that takes the number keys. */
  readonly active: string | undefined
  /** The key of the card that had the focus last. */
  readonly focused: string | undefined
  /** The user has moved the focus into this card. */
  readonly choose: (key: string) => void
}

/** The first question takes the keys, or the one that the user chose. */
export function useKeyedQuestion(questions: readonly string[]): KeyedQuestion {
  const [chosen, choose] = useState<string>()
  const [active, setActive] = useState<string>()
  const shown = useRef<string | undefined>(undefined)
  const isChosen = chosen !== undefined && questions.includes(chosen)
  const wanted = isChosen ? chosen : questions[0]
  useEffect(() => {
    const before = shown.current
    shown.current = wanted
    if (before === undefined || before === wanted || isChosen) return setActive(wanted)
    setActive(undefined)
    const timer = setTimeout(() => setActive(wanted), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [wanted, isChosen])
  return { active: active === wanted ? active : undefined, focused: chosen, choose }
}
