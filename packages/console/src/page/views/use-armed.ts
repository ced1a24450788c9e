// Delays a button that approves: a click or key that was meant for what was there before must not approve what has just
// appeared. Used by the cards of plans and of questions that approve a command. Sets a timer.

import { useEffect, useState } from 'preact/hooks'

const ARMED_AFTER_MS = 1000

export function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}
