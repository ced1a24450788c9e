import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toToolName } from './assign-tool-names.js'

test.each([
  ['deploy_report.py', 'deploy_report'],
  ['no-extension', 'no-extension'],
  ['two.dots.sh', 'two_dots'],
  ['crème brûlée.sh', 'creme_brulee'],
  ['日本.sh', undefined],
  ['日本 3.sh', '_3'],
])('%s', (file, name) => expect(toToolName(file)).toBe(name))

test('every name is valid for clients and stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (file) => {
      const name = toToolName(file)
      if (name === undefined) return
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(toToolName(`${name}.sh`)).toBe(name)
    }),
  )
})
