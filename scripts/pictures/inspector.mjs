// The inspector page of `dev`, light and dark, from a run of the command on test/fixture/dev-server.mjs.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { openChromium } from '../../test/page/chromium.mjs'
import { indexedPng } from './indexed-png.mjs'

const root = resolve(import.meta.dirname, '../..')
const LIBRARY = '../../dist/library.mjs'

export async function takeInspector(folder) {
  const project = mkdtempSync(join(tmpdir(), 'scorpiox-pictures-'))
  const server = readFileSync(join(root, 'test/fixture/dev-server.mjs'), 'utf8')
  writeFileSync(
    join(project, 'server.mjs'),
    server.replace(LIBRARY, pathToFileURL(join(root, 'dist/library.mjs')).href),
  )
  const dev = spawn(process.execPath, [join(root, 'dist/scorpiox-code.js'), 'dev', 'server.mjs'], { cwd: project })
  const browser = await openChromium()
  try {
    const address = await readAddress(dev)
    await take(browser, address, { width: 1280, height: 800, colorScheme: 'light' }, async (page) => {
      await page.getByLabel('name required').fill('Ann')
      await page.getByRole('button', { name: 'Add to tags' }).click()
      await page.getByLabel('tags 1').fill('and all')
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByText('Hello Ann and all').first().waitFor()
      await page.locator('.wire summary').first().click()
      await keep(page, folder, 'dev-light')
    })
    await take(browser, address, { width: 1280, height: 800, colorScheme: 'dark' }, async (page) => {
      await page.getByRole('link', { name: 'order' }).click()
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByLabel('tea').selectOption('green')
      await keep(page, folder, 'dev-dark')
      await page.getByRole('button', { name: 'Accept' }).click()
    })
  } finally {
    await browser.close()
    dev.kill('SIGINT')
    rmSync(project, { recursive: true, force: true })
  }
}

/** The link that the command prints. */
function readAddress(dev) {
  return new Promise((done, fail) => {
    let text = ''
    dev.once('exit', () => fail(new Error(text)))
    dev.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('It offers')) done(/http:\S+/.exec(text)[0])
    })
  })
}

async function take(browser, address, { width, height, colorScheme }, act) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('status').getByText('Ready').waitFor()
  await act(page)
  await context.close()
}

async function keep(page, folder, name) {
  await page.mouse.move(0, 0)
  writeFileSync(join(folder, `${name}.png`), indexedPng(await page.screenshot()))
}
