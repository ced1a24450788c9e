// A time relative to now, with the date as tooltip.

import type { Key } from '../../../services/board/languages/phrase.js'
import { useWords } from '../speech.js'
import { useNow } from '../ticking.js'

export function Moment({ at, phrase }: { readonly at: number; readonly phrase?: Key }) {
  const { ago, moment, say } = useWords()
  const when = ago(at, useNow(10_000))
  return (
    <time dateTime={toIsoString(at)} title={moment(at)}>
      {phrase === undefined ? when : say(phrase, { when })}
    </time>
  )
}

function toIsoString(at: number): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : ''
}
