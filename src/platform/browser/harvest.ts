// Takes the document that a page has now. One whose scripts leave no time for that is stopped first.

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

export interface Sickle {
  readonly maxBytes: number
  /** Whether the page may go on while it is read. */
  readonly isQuiet: boolean
  readonly until: number
}

/** Undefined when nothing could be had in time. */
export async function harvest(page: Page, { maxBytes, isQuiet, until }: Sickle): Promise<Harvest | undefined> {
  const leftMs = (): number => until - performance.now()
  const taken = isQuiet ? await within(leftMs() / 2, evaluate(page, SNAPSHOT, maxBytes)) : undefined
  if (!taken) stopScripts(page)
  const { html, title, url, contentType, isCut } =
    taken ?? (await within(leftMs(), evaluate(page, SNAPSHOT, maxBytes))) ?? {}
  if (typeof html !== 'string') return undefined
  return {
    html: html.toWellFormed(),
    title: String(title).toWellFormed(),
    url: String(url),
    contentType: String(contentType),
    isCut: isCut === true,
  }
}

/** Also one that would run for ever. */
function stopScripts({ session }: Page): void {
  session.tell('Page.stopLoading')
  session.tell('Emulation.setScriptExecutionDisabled', { value: true })
  session.tell('Runtime.terminateExecution')
}
