// Shared by the page tests: browser pages that record their requests and console errors, a signed-in view, and what axe finds.

import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { call, type Json, type TestClient, type ToolResult } from '../support/client.js'
import { type HttpServer, TOKEN } from '../support/http-client.js'

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

/** Signed in by a link, at a view. The process of the client knows that the console is open. */
export async function openView(page: Page, server: HttpServer, client: TestClient, view: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await page.getByRole('link', { name: /^Tools/ }).click()
  await page.getByText(`Process ${client.child.pid}`).waitFor()
  await page.getByRole('link', { name: new RegExp(`^${view}`) }).click()
  await page.getByRole('heading', { level: 1, name: view }).waitFor()
}

export async function openSettings(page: Page): Promise<void> {
  await page.locator('.head-button.settings').click()
  await page.getByRole('dialog').waitFor()
}

export async function logOut(page: Page): Promise<void> {
  await openSettings(page)
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Token').waitFor()
}

/** The violations that axe finds, one line each; by default of all rules. */
export async function listViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const chosen = rules === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: rules }
  const options = JSON.stringify({ resultTypes: ['violations'], ...chosen })
  const { violations }: Json = await page.evaluate(`axe.run(${options})`)
  return violations.flatMap(({ id, nodes }: Json) => nodes.map(({ html }: Json) => `${id}: ${html.slice(0, 160)}`))
}

export function ask(client: TestClient, ...questions: readonly object[]): Promise<ToolResult> {
  return call(client, 'AskUserQuestion', { questions_json: JSON.stringify({ questions }) })
}
