import { expect, test } from 'vitest'

import { browserArguments } from './arguments.js'

const GIVEN = { profile: '/srv/profile', proxyHost: '127.0.0.1' }

test('no protection is switched off, except the sandbox where there is none', () => {
  const weak =
    /^--(no-sandbox|disable-setuid-sandbox|disable-web-security|single-process|no-zygote|allow-|ignore-cert|disable-site-iso)/
  expect(browserArguments({ ...GIVEN, isSandboxed: true }).filter((each) => weak.test(each))).toEqual([])
  expect(browserArguments({ ...GIVEN, isSandboxed: false }).filter((each) => weak.test(each))).toEqual(['--no-sandbox'])
})

test('no flag is given twice, because the last would win', () => {
  const names = browserArguments({ ...GIVEN, isSandboxed: false }).map((each) => each.split('=')[0])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
