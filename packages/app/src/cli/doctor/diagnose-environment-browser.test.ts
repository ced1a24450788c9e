import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { loadConfig } from '@scorpiox/server/config/load-config'
import { emptyFolder } from '../../../../../test/support/client.js'
import { diagnoseBrowser } from './diagnose-environment.js'

const diagnose = (path: string) =>
  diagnoseBrowser(loadConfig({ programDir: '/nowhere', cwdFlag: emptyFolder(), overrides: [`BROWSER_PATH=${path}`] }))

test('the configured browser is used and must exist', async () => {
  const browser = join(emptyFolder(), 'browser')
  writeFileSync(browser, '')
  chmodSync(browser, 0o755)
  expect(await diagnose(browser)).toEqual({ name: 'browser', ok: true, detail: browser })
  expect(await diagnose('/nowhere/browser')).toMatchObject({
    ok: false,
    fix: expect.stringContaining('/nowhere/browser'),
  })
})

test('neither a disabled nor a missing browser is a failure', async () => {
  expect(await diagnose('off')).toMatchObject({ ok: true, detail: expect.stringContaining('off') })
  expect(await diagnose('')).toMatchObject({ ok: true })
})
