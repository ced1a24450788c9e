// Every view of the page, light, dark and in Arabic, from the scenes of test/page/scenes.mjs.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { openChromium } from '../../test/page/chromium.mjs'
import { indexedPng } from './indexed-png.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

const KINDS = [
  { name: 'light', scene: 'english', options: { locale: 'en-US', colorScheme: 'light' } },
  { name: 'dark', scene: 'english', options: { locale: 'en-US', colorScheme: 'dark' } },
  { name: 'arabic', scene: 'arabic', options: { locale: 'ar-EG', colorScheme: 'light' } },
]
const VIEWS = ['questions', 'jobs', 'tasks', 'callbacks', 'calls', 'tools']

export async function takePages(folder) {
  const standIn = spawn(process.execPath, [join(root, 'test/page/stand-in.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(standIn.stdout, 'data')
  const studio = { folder, address: String(line).trim(), browser: await openChromium() }
  for (const kind of KINDS) await take(studio, kind, { width: 1040, height: 720 }, VIEWS, kind.name)
  await take(studio, KINDS[0], { width: 390, height: 844 }, ['questions', 'jobs'], 'small')
  await studio.browser.close()
  standIn.stdin.end()
}

async function take({ folder, address, browser }, { scene, options }, viewport, views, suffix) {
  const context = await browser.newContext({ ...options, viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(address)
  await page.locator('#token').waitFor()
  if (suffix !== 'small') await keep(page, folder, `login-${suffix}`)
  await page.goto(`${address}#key=${scene}`)
  for (const view of views) {
    await page.locator(`nav a[href="#${view}"]`).click()
    await page.locator(`nav a[href="#${view}"][aria-current=page]`).waitFor()
    await page.mouse.move(0, 0)
    await keep(page, folder, `${view}-${suffix}`)
  }
  await context.close()
}

async function keep(page, folder, name) {
  writeFileSync(join(folder, `${name}.png`), indexedPng(await page.screenshot()))
}
