import { expect, test } from 'vitest'

import { diagnoseImages } from './diagnose-environment.js'

const present = () => Promise.resolve({})
const missing = () => Promise.reject(new Error('Cannot find package'))

test('finds the installed libraries', async () => {
  const { ok, detail } = await diagnoseImages()
  expect(ok).toBe(true)
  expect(detail).toContain('HEIC, PDF pages')
})

test('reports missing optional libraries with the command that installs them', async () => {
  const { ok, detail, fix } = await diagnoseImages({ sharp: present, heic: missing, canvas: missing })
  expect(ok).toBe(true)
  expect(detail).toContain('no HEIC, no PDF pages')
  expect(fix).toBe('npm install -g libheif-js @napi-rs/canvas scorpiox-code && scorpiox-code install')
  const one = await diagnoseImages({ sharp: present, heic: present, canvas: missing })
  expect(one.fix).toMatch(/^npm install -g @napi-rs\/canvas scorpiox-code /)
})

test('fails without sharp', async () => {
  const { ok, fix } = await diagnoseImages({ sharp: missing, heic: present, canvas: present })
  expect(ok).toBe(false)
  expect(fix).toContain('npm install sharp')
})

test('lists the formats that the decoder of the runtime does not support', async () => {
  const { ok, detail, fix } = await diagnoseImages({
    sharp: missing,
    heic: missing,
    canvas: missing,
    hasBunImage: true,
  })
  expect(ok).toBe(true)
  expect(detail).toMatch(/PNG, JPEG.*no AVIF/)
  expect(fix).toMatch(/: npx scorpiox-code install$/)
})
