// Captures the current document of a page. If its scripts leave no time for that, they are stopped first.

import { within } from '../../lib/within.js'
import { evaluate } from './evaluate.js'
import type { Page } from './open-page.js'
import { SNAPSHOT } from './page-scripts.js'

export interface Harvest {
  readonly html: string
  readonly title: string
  readonly url: string
  readonly contentType: string
  readonly isCut: boolean
}

interface Sickle {
  readonly maxBytes: number
  /** Whether the page may continue while it is read. */
  readonly isQuiet: boolean
  readonly until: number
}

/** Undefined if nothing could be captured in time. */
export async function harvest(page: Page, { maxBytes, isQuiet, until }: Sickle): Promise<Harvest | undefined> {
  const leftMs = (): number => until - performance.now()
  const captured = isQuiet ? await within(leftMs() / 2, evaluate(page, SNAPSHOT, maxBytes)) : undefined
  if (!captured) stopScripts(page)
  const { html, title, url, contentType, isTruncated } =
    captured ?? (await within(leftMs(), evaluate(page, SNAPSHOT, maxBytes))) ?? {}
  if (typeof html !== 'string') return undefined
  return {
    html: html.toWellFormed(),
    title: String(title).toWellFormed(),
    url: String(url),
    contentType: String(contentType),
    isCut: isTruncated === true,
  }
}

/** Also ends an infinite loop. */
function stopScripts({ session }: Page): void {
  session.tell('Page.stopLoading')
  session.tell('Emulation.setScriptExecutionDisabled', { value: true })
  session.tell('Runtime.terminateExecution')
}
