// Makes docs/pictures/: every view of the page, light, dark and in Arabic, from the scenes of test/page/scenes.mjs. Needs dist/.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { openChromium } from '../test/page/chromium.mjs'
import { indexedPng } from './indexed-png.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'docs/pictures')

const KINDS = [
  { name: 'light', scene: 'english', options: { locale: 'en-US', colorScheme: 'light' } },
  { name: 'dark', scene: 'english', options: { locale: 'en-US', colorScheme: 'dark' } },
  { name: 'arabic', scene: 'arabic', options: { locale: 'ar-EG', colorScheme: 'light' } },
]
const VIEWS = ['questions', 'jobs', 'tasks', 'callbacks', 'calls', 'tools']

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const standIn = spawn(process.execPath, [join(root, 'test/page/stand-in.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
const [line] = await once(standIn.stdout, 'data')
const address = String(line).trim()
const browser = await openChromium()
for (const kind of KINDS) await take(kind, { width: 1040, height: 720 }, VIEWS, kind.name)
await take(KINDS[0], { width: 390, height: 844 }, ['questions', 'jobs'], 'small')
await browser.close()
standIn.stdin.end()

async function take({ scene, options }, viewport, views, suffix) {
  const context = await browser.newContext({ ...options, viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(address)
  await page.locator('#token').waitFor()
  if (suffix !== 'small') await keep(page, `login-${suffix}`)
  await page.goto(`${address}#key=${scene}`)
  for (const view of views) {
    await page.locator(`nav a[href="#${view}"]`).click()
    await page.locator(`nav a[href="#${view}"][aria-current=page]`).waitFor()
    await page.mouse.move(0, 0)
    await keep(page, `${view}-${suffix}`)
  }
  await context.close()
}

async function keep(page, name) {
  writeFileSync(join(folder, `${name}.png`), indexedPng(await page.screenshot()))
}
