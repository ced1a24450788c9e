// How the page looks, by photographs of its stories (packages/console/src/page/stories): every component and view in its
// states, light and dark, in every language, on a phone and on a desktop. Each is inspected for mistakes of the layout and
// by axe. STORY_PICTURES names a folder for the photographs. Also the size of the page.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { buildStoryPage, serveStoryPage } from '../../scripts/story-page.mjs'
import { openChromium } from './chromium.mjs'
import { listViolations, openPage } from './support.js'

const DIST = resolve(import.meta.dirname, '../../dist/page')
const PICTURES = process.env.STORY_PICTURES

const SCREENS = {
  phone: { width: 360, height: 740 },
  desktop: { width: 1440, height: 900 },
}
const COMBINATIONS = (['light', 'dark'] as const).flatMap((scheme) =>
  (['en', 'ko', 'ar'] as const).flatMap((language) =>
    (['phone', 'desktop'] as const).map((screen) => ({ scheme, language, screen })),
  ),
)
type Combination = (typeof COMBINATIONS)[number]

/** Of these every `npm test` takes photographs: together they have each theme, screen and writing direction. */
const SHORT = new Set(['light en desktop', 'dark ar phone'])

/** The other rules find in a dark page what they find in a light one. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

let folder: string
let browser: Browser
let served: { readonly address: string; readonly close: () => void }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scorpiox-stories-'))
  await buildStoryPage(folder)
  served = await serveStoryPage(folder)
  browser = await openChromium()
})

afterAll(async () => {
  await browser?.close()
  served?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.concurrent('every story has no mistake in its layout, no violation found by axe and no error', () => {
  for (const combination of COMBINATIONS) {
    const title = Object.values(combination).join(' ')
    test(title, { tags: SHORT.has(title) ? [] : ['long'] }, async () => {
      expect(await inspectStories(combination)).toEqual([])
    })
  }
})

/** One line for each mistake, with the story. */
async function inspectStories({ scheme, language, screen }: Combination): Promise<string[]> {
  const { page, complaints, origins, close } = await openPage(browser, {
    colorScheme: scheme,
    viewport: SCREENS[screen],
  })
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
  await page.goto(served.address)
  const names: string[] = await page.evaluate('stories.names')
  const mistakes: string[] = []
  for (const name of names) {
    await page.evaluate(`stories.show('${name}', '${language}')`)
    const found: string[] = await page.evaluate('stories.inspect()')
    const violations = await listViolations(page, scheme === 'dark' ? RULES_OF_COLOURS : undefined)
    mistakes.push(...[...found, ...violations].map((mistake) => `${name}: ${mistake}`))
    if (PICTURES !== undefined) {
      await page.screenshot({ path: join(PICTURES, `${name}-${screen}-${language}-${scheme}.png`) })
    }
  }
  await close()
  expect(names.length).toBeGreaterThan(40)
  expect([...origins]).toEqual([new URL(served.address).origin])
  return [...mistakes, ...complaints]
}

test('a long list that is not displayed has few rows in the document', async () => {
  const { page, close } = await openPage(browser, { viewport: SCREENS.phone })
  await page.goto(served.address)
  await page.evaluate("stories.show('split-open', 'en')")
  expect(await page.locator('.virtual').isVisible()).toBe(false)
  expect(await page.locator('.virtual > li').count()).toBeLessThan(100)
  await close()
})

test('rows above the screen that turn out higher than estimated do not move what is on it', async () => {
  const { page, close } = await openPage(browser, { viewport: SCREENS.desktop })
  await page.goto(served.address)
  await page.evaluate("stories.show('list-5000', 'en')")
  await page.evaluate('scrollTo(0, 120000)')
  for (let round = 0; round < 20; round += 1) {
    const moved: number = await page.evaluate(SCROLL_UP)
    expect(Math.round(moved), `round ${round}`).toBe(100)
  }
  await close()
})

/** By 100 pixels; returns by how much a row on the screen has moved when rows that came into the document are measured. */
const SCROLL_UP = `(async () => {
  const untilMeasured = async () => { for (let frame = 0; frame < 6; frame += 1) await new Promise(requestAnimationFrame) }
  await untilMeasured()
  const topOf = (row) => row.getBoundingClientRect().top
  const row = [...document.querySelectorAll('.virtual > li')].find((each) => topOf(each) > 100)
  const before = topOf(row)
  scrollBy(0, -100)
  await untilMeasured()
  return topOf(document.querySelector('.virtual > li[data-key="' + row.dataset.key + '"]')) - before
})()`

test('the inspection finds each kind of mistake', async () => {
  // The policy of the page forbids the styles below.
  const { page, close } = await openPage(browser, { viewport: SCREENS.phone, bypassCSP: true })
  await page.goto(served.address)
  const inspect = async (html: string): Promise<string[]> => {
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`)
    const found: string[] = await page.evaluate('stories.inspect()')
    return found.map((mistake) => mistake.replace(/[:,].*/, ''))
  }
  expect(await inspect('<p>Nothing is wrong <a href="#">here</a>.</p>')).toEqual([])
  expect(await inspect('<p style="width: 500px">wide</p>')).toEqual(['the page is 500 px wide', 'outside the screen'])
  const hidden = 'overflow: hidden; white-space: nowrap; width: 60px'
  expect(await inspect(`<p style="${hidden}">a sentence that is longer</p>`)).toEqual(['cut off'])
  expect(await inspect(`<p style="${hidden}; text-overflow: ellipsis">a sentence that is longer</p>`)).toEqual([])
  const ellipsis = `<p dir="rtl" style="${hidden}; text-overflow: ellipsis">`
  expect(await inspect(`${ellipsis}<bdi dir="ltr">a sentence that is longer</bdi></p>`)).toEqual([
    'cut off at the beginning',
  ])
  expect(await inspect('<button style="width: 16px; height: 16px; padding: 0"></button>')).toEqual(['small target'])
  const place = (top: number): string => `style="position: absolute; top: ${top}px; width: 90px; height: 40px"`
  expect(await inspect(`<button ${place(0)}></button><button ${place(30)}></button>`)).toEqual(['targets overlap'])
  expect(await inspect(`<p ${place(0)}>one text</p><p ${place(5)}>another text</p>`)).toEqual(['texts overlap'])
  await close()
})

test('the files of the first load are under 90 KB together, and those of a terminal, which are loaded with the first one, under 88 KB', () => {
  const ofTerminal = readdirSync(DIST).filter((name) => name.startsWith('terminal.'))
  const atOnce = ['index.html', 'manifest.webmanifest', 'page.css', 'page.js', 'service-worker.js']
  expect(ofTerminal.sort()).toEqual(['terminal.css', 'terminal.js'])
  const sum = (names: readonly string[]): number =>
    names
      .map((file) => gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length)
      .reduce((total, size) => total + size)
  expect(sum(atOnce)).toBeLessThan(90_000)
  expect(sum(ofTerminal)).toBeLessThan(88_000)
})
