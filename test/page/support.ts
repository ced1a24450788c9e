// Shared by the page tests: browser pages that record their requests and console errors.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { call, type TestClient, type ToolResult } from '../support/client.js'

export interface Watched {
  readonly page: Page
  /** The errors of the page, as the browser reports them. */
  readonly complaints: readonly string[]
  /** The destinations of its requests. */
  readonly origins: ReadonlySet<string>
  readonly close: () => Promise<void>
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  // Only detects what never appears.
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(error.message))
  page.on('request', (request) => void origins.add(new URL(request.url()).origin))
  return { page, complaints, origins, close: () => context.close() }
}

export function ask(client: TestClient, ...questions: readonly object[]): Promise<ToolResult> {
  return call(client, 'AskUserQuestion', { questions_json: JSON.stringify({ questions }) })
}
