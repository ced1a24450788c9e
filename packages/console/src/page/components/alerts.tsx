// Toasts above the view, such as for a question that was answered elsewhere; the list of problems; action errors. Used
// by console-page, the dialog and the views. Toasts disappear on a timer.

import { useState } from 'preact/hooks'

import type { ActionResult } from '../api.js'
import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { UntrustedText } from './text.js'

interface Toast {
  readonly id: number
  readonly text: string
}

/** More would push the view down. */
const MAX_TOASTS = 3
const DISMISS_AFTER_MS = 10_000

let lastId = 0

export function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const close = (id: number): void => setToasts((before) => before.filter((notice) => notice.id !== id))
  return {
    toasts,
    close,
    /** Confirmations disappear by themselves. */
    notify: (text: string, isTransient = false): void => {
      const id = (lastId += 1)
      setToasts((before) => [...before, { id, text }].slice(-MAX_TOASTS))
      if (isTransient) setTimeout(() => close(id), DISMISS_AFTER_MS)
    },
  }
}

export function ToastList({
  toasts,
  close,
}: {
  readonly toasts: readonly Toast[]
  readonly close: (id: number) => void
}) {
  const { translate } = useTranslator()
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text }) => (
        <div key={id} class="notice">
          <p>
            <UntrustedText text={text} />
          </p>
          <button class="button plain" type="button" onClick={() => close(id)}>
            <Icon of="cross" />
            <span class="unseen">{translate('close')}</span>
          </button>
        </div>
      ))}
    </div>
  )
}

/** Problems of the data sources, shown above every view: an empty view would look like a good state. */
export function ProblemList({ problems }: { readonly problems: readonly string[] }) {
  const { translate } = useTranslator()
  if (problems.length === 0) return null
  return (
    <section class="card problems" aria-labelledby="problems">
      <p id="problems">
        <strong>{translate('problems')}</strong>
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <UntrustedText lang="en" text={problem} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ActionErrorProps {
  readonly result: ActionResult | undefined
  /** Repeats it; of requests that change nothing. */
  readonly retry?: () => void
}

/** Why an action failed: the English message of the server, if it sent one. */
export function ActionError({ result, retry }: ActionErrorProps) {
  const { translate } = useTranslator()
  return (
    <div role="alert">
      {result?.ok === false && (
        <p class="mistake">
          {result.message === null ? (
            translate(result.status === 0 ? 'unreachable' : 'refused', { status: `${result.status}` })
          ) : (
            <UntrustedText lang="en" text={result.message} />
          )}
        </p>
      )}
      {result?.ok === false && retry !== undefined && (
        <button class="button small" type="button" onClick={retry}>
          {translate('tryNow')}
        </button>
      )}
    </div>
  )
}
