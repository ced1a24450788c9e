// Waits until a page has settled, before page-renderer.ts reads it: its document stopped growing, and no request is
// pending that may bring text. Does not wait for an idle network: many pages never have one. Runs a script in the page;
// sets a timer.

import { Failure } from '@scorpiox/mcp/errors'
import { withTimeout } from '@scorpiox/mcp/promises'
import { type BrowserPage, evaluateInPage } from './browser-page.js'
import { WAIT_UNTIL_SETTLED } from './page-scripts.js'

const SETTLED_MS = 150
/** A document that keeps growing is taken as it is after this time. */
const MAX_GROWING_MS = 5000
/** How long a settled document may wait for pending requests. */
const MAX_PENDING_MS = 2500
/** The limits for a document that is nearly empty. */
const NEARLY_EMPTY = { characters: 200, settledMs: 600, maxPendingMs: 8000 } as const
const MAX_DOCUMENTS = 10
const STOP_TIMEOUT_MS = 1000
const RETRY_MS = 20
/** A request that becomes idle causes no event, so the state is checked again after this time. */
const RECHECK_MS = 300

interface DocumentSize {
  readonly hasSettled: boolean
  readonly hasChanged: boolean
  readonly elements: number
  readonly text: number
}

/** Whether the page settled before that time. */
export async function waitUntilSettled(page: BrowserPage, until: number): Promise<boolean> {
  const { activity } = page
  const leftMs = (): number => until - performance.now()
  let documents = 0
  let previous: DocumentSize | undefined
  let settledSince: number | undefined
  while (leftMs() > 0) {
    if (activity.closedReason !== undefined) throw new Failure(activity.closedReason)
    if (activity.documents > MAX_DOCUMENTS) return stopNavigating(page, until)
    if (activity.documents !== documents) previous = settledSince = undefined
    documents = activity.documents
    const size = activity.isReady ? await measureDocument(page, previous, leftMs()) : undefined
    if (!size) {
      await withTimeout(activity.isReady ? RETRY_MS : leftMs(), activity.nextChange())
      continue
    }
    activity.recordDocumentChange(size.hasChanged)
    if (!size.hasSettled) return false
    previous = size
    settledSince ??= performance.now()
    const maxPendingMs = size.text < NEARLY_EMPTY.characters ? NEARLY_EMPTY.maxPendingMs : MAX_PENDING_MS
    const pendingLeftMs = settledSince + maxPendingMs - performance.now()
    if (!activity.isWaiting || pendingLeftMs <= 0) return true
    await withTimeout(Math.min(pendingLeftMs, leftMs(), RECHECK_MS), activity.nextChange())
  }
  return false
}

/** A page that keeps navigating is stopped at the next document, which is read without its scripts. */
async function stopNavigating({ session, activity }: BrowserPage, until: number): Promise<boolean> {
  session.sendWithoutReply('Emulation.setScriptExecutionDisabled', { value: true })
  const end = Math.min(until, performance.now() + STOP_TIMEOUT_MS)
  for (
    let leftMs = STOP_TIMEOUT_MS;
    leftMs > 0 && !(activity.isReady && !activity.isWaiting);
    leftMs = end - performance.now()
  )
    await withTimeout(leftMs, activity.nextChange())
  return false
}

async function measureDocument(
  page: BrowserPage,
  previous: DocumentSize | undefined,
  ms: number,
): Promise<DocumentSize | undefined> {
  const options = {
    settledMs: SETTLED_MS,
    emptySettledMs: NEARLY_EMPTY.settledMs,
    emptyCharacters: NEARLY_EMPTY.characters,
    limitMs: Math.min(ms, MAX_GROWING_MS),
    previous,
  }
  const size = await withTimeout(ms, evaluateInPage(page, WAIT_UNTIL_SETTLED, options))
  if (!size) return undefined
  const { hasSettled, hasChanged, elements, text } = size
  return {
    hasSettled: hasSettled === true,
    hasChanged: hasChanged === true,
    elements: Number(elements),
    text: Number(text),
  }
}
