// The box of a task or step: it shows what is stored, so a click changes it when the server has stored the change. Used by
// the list of tasks and the task that is open. Renders only.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { useServers } from '../use-servers.js'

interface TickBoxProps {
  readonly isDone: boolean
  /** Accessible name; by default the content. */
  readonly label?: string
  readonly tick: () => Promise<void>
  readonly children?: ComponentChildren
}

export function TickBox({ isDone, label, tick, children }: TickBoxProps) {
  const canAct = useServers().canAct()
  const [isBusy, setBusy] = useState(false)
  const onChange = async (event: Event): Promise<void> => {
    if (event.currentTarget instanceof HTMLInputElement) event.currentTarget.checked = isDone
    if (isBusy) return
    setBusy(true)
    await tick()
    setBusy(false)
  }
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={isDone}
        aria-label={label}
        aria-busy={isBusy}
        disabled={!canAct}
        onChange={(event) => void onChange(event)}
      />
      {children}
    </label>
  )
}
