import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toolNameOf } from './tool-name.js'

test.each([
  ['deploy_report.py', 'deploy_report'],
  ['no-extension', 'no-extension'],
  ['two.dots.sh', 'two_dots'],
  ['crème brûlée.sh', 'creme_brulee'],
  ['日本.sh', undefined],
  ['日本 3.sh', '_3'],
])('%s', (file, name) => expect(toolNameOf(file)).toBe(name))

test('every name is valid for clients and stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (file) => {
      const name = toolNameOf(file)
      if (name === undefined) return
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(toolNameOf(`${name}.sh`)).toBe(name)
    }),
  )
})
