// Accessibility, layout and size of the page with more data than a test of the real program has: every view in every
// language, light and dark, small, empty and overfull.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { openChromium } from './chromium.mjs'
import { listViolations, openPage, type Watched } from './support.js'

const DIST = resolve(import.meta.dirname, '../../dist/page')

const VIEWS = ['questions', 'jobs', 'tasks', 'callbacks', 'calls', 'tools']
const LANGUAGES = [
  { locale: 'en-US', scene: 'english', schemes: ['light', 'dark'], tags: [] },
  { locale: 'ko-KR', scene: 'english', schemes: ['light'], tags: ['long'] },
  { locale: 'ar-EG', scene: 'arabic', schemes: ['dark'], tags: ['long'] },
] as const

let browser: Browser
let standIn: ChildProcess
let address: string
let watched: Watched
let page: Page

beforeAll(async () => {
  standIn = spawn(process.execPath, [join(import.meta.dirname, 'stand-in.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line]: unknown[] = await once(standIn.stdout!, 'data')
  address = String(line).trim()
  browser = await openChromium()
})

afterAll(async () => {
  await browser?.close()
  standIn?.stdin?.end()
})

afterEach(async () => {
  expect(watched.complaints).toEqual([])
  expect([...watched.origins]).toEqual([new URL(address).origin])
  await watched.close()
})

async function show(scene: string, locale: string, width = 1100): Promise<void> {
  watched = await openPage(browser, { locale, viewport: { width, height: 800 } })
  page = watched.page
  await page.goto(`${address}#key=${scene}`)
  await page.getByRole('navigation').waitFor()
}

async function turnTo(view: string): Promise<void> {
  await page.locator(`nav a[href="#${view}"]`).click()
  await page.locator(`nav a[href="#${view}"][aria-current=page]`).waitFor()
}

for (const { locale, scene, schemes, tags } of LANGUAGES)
  describe(`in ${locale}`, { tags: [...tags] }, () => {
    test(`axe finds no violations in any view, ${schemes.join(' or ')}`, async () => {
      await show(scene, locale)
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme })
        for (const view of VIEWS) {
          await turnTo(view)
          expect(await listViolations(page), `${view}, ${colorScheme}`).toEqual([])
        }
      }
    })

    test('nor at the login, in dialogs, in error messages or in empty views', async () => {
      await show(scene, locale)
      await page.getByRole('main').locator('button[type=submit]').first().click()
      await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor()
      expect(await listViolations(page), 'mistakes').toEqual([])
      await turnTo('jobs')
      await page.getByRole('main').locator('.actions button').nth(0).click()
      await page.getByRole('dialog').locator('pre').waitFor()
      expect(await listViolations(page), 'output').toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('main').locator('.actions .danger').first().click()
      expect(await listViolations(page), 'kill').toEqual([])
      await page.getByRole('dialog').locator('.danger').click()
      await page.getByText('This is a picture of a board').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('.settings > button').click()
      await page.locator('#token').waitFor()
      expect(await listViolations(page), 'login').toEqual([])
      await page.goto(`${address}#key=empty`)
      await page.getByRole('navigation').waitFor()
      for (const view of ['tasks', 'tools']) {
        await turnTo(view)
        expect(await listViolations(page), `${view}, empty`).toEqual([])
      }
      // The test server refuses every action, and the browser logs it.
      expect(watched.complaints.filter((text) => !text.includes('409'))).toEqual([])
      watched = { ...watched, complaints: [] }
    })

    test('nor in plans to approve, while they are read, rejected or edited', async () => {
      await show('approvals', locale)
      const card = page.getByRole('main').locator('.card').first()
      await card.locator('ins').waitFor()
      expect(await listViolations(page), 'read').toEqual([])
      await card.locator('.actions button').nth(1).click()
      await card.locator('textarea').waitFor()
      expect(await listViolations(page), 'reject').toEqual([])
      await card.locator('.actions button').nth(1).click()
      await card.locator('.actions button').nth(2).click()
      await card.locator('textarea').waitFor()
      expect(await listViolations(page), 'edit').toEqual([])
      await card.locator('button[type=submit]').click()
      await page.getByText('This is a picture of a board').waitFor()
      // The test server refuses every action, and the browser logs it.
      expect(watched.complaints.filter((text) => !text.includes('409'))).toEqual([])
      watched = { ...watched, complaints: [] }
    })

    test('nothing is wider than a small screen, whatever the content', async () => {
      await show('crowd', locale, 320)
      await page.locator('.changes').nth(1).waitFor()
      for (const view of VIEWS) {
        await turnTo(view)
        expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBe(320)
        expect(await page.evaluate(TOO_WIDE), view).toEqual([])
      }
      // Injected markup is shown as text.
      expect(await page.locator('main img').count()).toBe(0)
    })
  })

test('the three files together are under 36 KB, and those of a terminal, which are loaded with the first one, under 88 KB', () => {
  const files = readdirSync(DIST)
  expect(files.sort()).toEqual(['index.html', 'page.css', 'page.js', 'terminal.css', 'terminal.js'])
  const sum = (names: readonly string[]): number =>
    names
      .map((file) => gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length)
      .reduce((total, size) => total + size)
  expect(sum(['index.html', 'page.css', 'page.js'])).toBeLessThan(36_000)
  expect(sum(['terminal.css', 'terminal.js'])).toBeLessThan(88_000)
})

/** Elements wider than the screen, except those for screen readers and those that scroll. */
const TOO_WIDE = `[...document.querySelectorAll('main *')]
  .filter((element) => !element.closest('.unseen, pre, .input, svg'))
  .filter((element) => { const box = element.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1 })
  .map((element) => element.outerHTML.slice(0, 120))`
