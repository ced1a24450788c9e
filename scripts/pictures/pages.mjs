// The views of the page that the docs show, from its stories (packages/console/src/page/stories); Home also in Arabic and
// Korean. Korean needs a font with its letters, such as the package fonts-noto-cjk of Debian.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openChromium } from '../../test/page/chromium.mjs'
import { buildStoryPage, serveStoryPage } from '../story-page.mjs'
import { indexedPng } from './indexed-png.mjs'

const WIDE = { width: 1280, height: 800 }
/** Names of pictures, and the story of each. */
const STORIES = {
  home: 'home',
  jobs: 'jobs-output',
  calls: 'call',
  timeline: 'calls-timeline',
  plans: 'plans-approval',
  tasks: 'task',
}
const HOME = { home: 'home' }

const KINDS = [
  { name: 'light', language: 'en', colorScheme: 'light', viewport: WIDE, stories: STORIES },
  { name: 'arabic', language: 'ar', colorScheme: 'light', viewport: WIDE, stories: HOME },
  { name: 'korean', language: 'ko', colorScheme: 'light', viewport: WIDE, stories: HOME },
]

export async function takePages(folder) {
  const built = mkdtempSync(join(tmpdir(), 'scorpiox-stories-'))
  await buildStoryPage(built)
  const { address, close } = await serveStoryPage(built)
  const browser = await openChromium()
  for (const { name, language, stories, ...options } of KINDS) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(address)
    for (const [picture, story] of Object.entries(stories)) {
      await page.evaluate(`stories.show('${story}', '${language}')`)
      // A plan can be approved one second after it has appeared.
      if (picture === 'plans') await page.locator('.button[aria-disabled=false]').waitFor()
      writeFileSync(join(folder, `${picture}-${name}.png`), indexedPng(await page.screenshot()))
    }
    await context.close()
  }
  await browser.close()
  close()
  rmSync(built, { recursive: true, force: true })
}
