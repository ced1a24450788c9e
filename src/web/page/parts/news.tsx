// Toasts above the view, such as for a question that was answered elsewhere; the list of problems; action errors.

import { useState } from 'preact/hooks'

import { useWords } from '../speech.js'
import { Icon } from './icon.js'
import { Foreign } from './foreign.js'

interface Toast {
  readonly id: number
  readonly text: string
}

/** More would push the view down. */
const MAX_TOASTS = 3
const DISMISS_AFTER_MS = 10_000

let lastId = 0

export function useNews() {
  const [news, setNews] = useState<readonly Toast[]>([])
  const close = (id: number): void => setNews((before) => before.filter((notice) => notice.id !== id))
  return {
    news,
    close,
    /** Confirmations disappear by themselves. */
    tell: (text: string, isTransient = false): void => {
      const id = (lastId += 1)
      setNews((before) => [...before, { id, text }].slice(-MAX_TOASTS))
      if (isTransient) setTimeout(() => close(id), DISMISS_AFTER_MS)
    },
  }
}

export function News({ news, close }: { readonly news: readonly Toast[]; readonly close: (id: number) => void }) {
  const { say } = useWords()
  return (
    <div class="news" role="status">
      {news.map(({ id, text }) => (
        <div key={id} class="notice">
          <p>
            <Foreign text={text} />
          </p>
          <button class="button plain" type="button" onClick={() => close(id)}>
            <Icon of="cross" />
            <span class="unseen">{say('close')}</span>
          </button>
        </div>
      ))}
    </div>
  )
}
