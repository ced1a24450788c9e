import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { emptyFolder } from '../../test/support/client.js'
import { loadConfig } from '../config/load.js'
import { examineBrowser } from './examine-browser.js'

const examined = (path: string) =>
  examineBrowser(loadConfig({ programDir: '/nowhere', cwdFlag: emptyFolder(), overrides: [`BROWSER_PATH=${path}`] }))

test('the browser that is named is used, and has to be there', async () => {
  const browser = join(emptyFolder(), 'browser')
  writeFileSync(browser, '')
  chmodSync(browser, 0o755)
  expect(await examined(browser)).toEqual({ name: 'browser', ok: true, detail: browser })
  expect(await examined('/nowhere/browser')).toMatchObject({
    ok: false,
    fix: expect.stringContaining('/nowhere/browser'),
  })
})

test('one that is switched off is no illness, and neither is none', async () => {
  expect(await examined('off')).toMatchObject({ ok: true, detail: expect.stringContaining('off') })
  expect(await examined('')).toMatchObject({ ok: true })
})
