import { expect, test } from 'vitest'

import { installHintFor, noteOriginalFile } from './missing-decoder.js'

test('an executable, which loads no packages, does not say that one is not installed', () => {
  expect(noteOriginalFile(false)).toContain('sharp is not installed')
  expect(noteOriginalFile(true)).toContain('this executable cannot decode it')
  expect(installHintFor('libheif-js', false)).toContain('npm install libheif-js')
  expect(installHintFor('libheif-js', true)).not.toContain('install')
})
