import { expect, test } from 'vitest'

import { examineImages } from './examine-images.js'

const there = () => Promise.resolve({})
const missing = () => Promise.reject(new Error('Cannot find package'))

test('everything that is installed is found', async () => {
  const { ok, detail } = await examineImages()
  expect(ok).toBe(true)
  expect(detail).toContain('HEIC, pages of a PDF')
})

test('what may be missing is named with what installs it', async () => {
  const { ok, detail, fix } = await examineImages({ sharp: there, heic: missing, canvas: missing })
  expect(ok).toBe(true)
  expect(detail).toContain('no HEIC, no pages of a PDF')
  expect(fix).toBe('npm install -g libheif-js @napi-rs/canvas scorpiox-code && scorpiox-code install')
  const one = await examineImages({ sharp: there, heic: there, canvas: missing })
  expect(one.fix).toMatch(/^npm install -g @napi-rs\/canvas scorpiox-code /)
})

test('without sharp something is wrong', async () => {
  const { ok, fix } = await examineImages({ sharp: missing, heic: there, canvas: there })
  expect(ok).toBe(false)
  expect(fix).toContain('npm install sharp')
})

test('where the runtime decodes images, it is said which it does not', async () => {
  const { ok, detail, fix } = await examineImages({ sharp: missing, heic: missing, canvas: missing, hasBunImage: true })
  expect(ok).toBe(true)
  expect(detail).toMatch(/PNG, JPEG.*no AVIF/)
  expect(fix).toMatch(/: npx scorpiox-code install$/)
})
