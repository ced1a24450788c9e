// A button that copies text. Where the browser does not allow it, as on a page over HTTP from another machine, it says
// so. Used by the details of jobs and calls. Writes to the clipboard.

import { useEffect, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import { useTranslator } from '../use-translator.js'

interface CopyButtonProps {
  readonly label: TranslationKey
  /** What it copies, if the label does not say it; part of the accessible name. */
  readonly subject?: string
  readonly readText: () => string
}

const SHOWN_MS = 2000

export function CopyButton({ label, subject, readText }: CopyButtonProps) {
  const { translate } = useTranslator()
  const [outcome, setOutcome] = useState<'copyDone' | 'copyRefused'>()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(readText())
      setOutcome('copyDone')
    } catch {
      setOutcome('copyRefused')
    }
  }

  return (
    <>
      <button class="button small" type="button" onClick={() => void copy()}>
        {translate(label)}
        {subject !== undefined && <span class="unseen"> {subject}</span>}
      </button>
      <span class="quiet copy-outcome" role="status">
        {outcome !== undefined && translate(outcome)}
      </span>
    </>
  )
}
