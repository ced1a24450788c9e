import { expect, test } from 'vitest'

import { buildLaunchFlags } from './launch-flags.js'

const GIVEN = { profile: '/srv/profile', proxyHost: '127.0.0.1' }

test('no protection is switched off, except the sandbox where there is none', () => {
  const weak =
    /^--(no-sandbox|disable-setuid-sandbox|disable-web-security|single-process|no-zygote|allow-|ignore-cert|disable-site-iso)/
  expect(buildLaunchFlags({ ...GIVEN, isSandboxed: true }).filter((each) => weak.test(each))).toEqual([])
  expect(buildLaunchFlags({ ...GIVEN, isSandboxed: false }).filter((each) => weak.test(each))).toEqual(['--no-sandbox'])
})

test('no flag is given twice, because the last would win', () => {
  const names = buildLaunchFlags({ ...GIVEN, isSandboxed: false }).map((each) => each.split('=')[0])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
