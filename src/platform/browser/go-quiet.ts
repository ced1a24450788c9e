// Waits until a page has shown what it has to show: its document stopped growing, and nothing is on its way that may bring
// text. Never until the network is idle: many pages never are.

import { Failure } from '../../lib/failure.js'
import { within } from '../../lib/within.js'
import { evaluate } from './evaluate.js'
import type { Page } from './open-page.js'
import { GO_QUIET } from './page-scripts.js'

const QUIET_MS = 150
/** A document that never stops growing is taken as it is by then. */
const RESTLESS_MS = 5000
/** How long a quiet document is given for what it still waits for. */
const PATIENCE_MS = 2500
/** The same where there is hardly anything to read. */
const EMPTY = { characters: 200, quietMs: 600, patienceMs: 8000 } as const
const MAX_DOCUMENTS = 10
const LAST_MS = 1000
const AGAIN_MS = 20
/** What falls silent is no news. */
const WAKE_MS = 300

interface Seen {
  readonly isQuiet: boolean
  readonly hasChanged: boolean
  readonly elements: number
  readonly text: number
}

/** Whether it went quiet before that moment. */
export async function goQuiet(page: Page, until: number): Promise<boolean> {
  const { watch } = page
  const leftMs = (): number => until - performance.now()
  let documents = 0
  let before: Seen | undefined
  let quietSince: number | undefined
  while (leftMs() > 0) {
    if (watch.gone !== undefined) throw new Failure(watch.gone)
    if (watch.documents > MAX_DOCUMENTS) return holdStill(page, until)
    if (watch.documents !== documents) before = quietSince = undefined
    documents = watch.documents
    const seen = watch.isReady ? await look(page, before, leftMs()) : undefined
    if (!seen) {
      await within(watch.isReady ? AGAIN_MS : leftMs(), watch.news())
      continue
    }
    watch.judge(seen.hasChanged)
    if (!seen.isQuiet) return false
    before = seen
    quietSince ??= performance.now()
    const patienceMs = seen.text < EMPTY.characters ? EMPTY.patienceMs : PATIENCE_MS
    const patienceLeft = quietSince + patienceMs - performance.now()
    if (!watch.isWaiting || patienceLeft <= 0) return true
    await within(Math.min(patienceLeft, leftMs(), WAKE_MS), watch.news())
  }
  return false
}

/** One that goes on and on to other pages stays at the next, which is read without its scripts. */
async function holdStill({ session, watch }: Page, until: number): Promise<boolean> {
  session.tell('Emulation.setScriptExecutionDisabled', { value: true })
  const end = Math.min(until, performance.now() + LAST_MS)
  for (let left = LAST_MS; left > 0 && !(watch.isReady && !watch.isWaiting); left = end - performance.now())
    await within(left, watch.news())
  return false
}

async function look(page: Page, before: Seen | undefined, ms: number): Promise<Seen | undefined> {
  const wish = {
    quietMs: QUIET_MS,
    emptyQuietMs: EMPTY.quietMs,
    emptyCharacters: EMPTY.characters,
    limitMs: Math.min(ms, RESTLESS_MS),
    before,
  }
  const seen = await within(ms, evaluate(page, GO_QUIET, wish))
  if (!seen) return undefined
  const { isQuiet, hasChanged, elements, text } = seen
  return {
    isQuiet: isQuiet === true,
    hasChanged: hasChanged === true,
    elements: Number(elements),
    text: Number(text),
  }
}
