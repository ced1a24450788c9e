import { expect, test } from 'vitest'

import { createHolds } from './holds.js'

test('a path counts as mounted if it is a mount point in every command that could change it', () => {
  const holds = createHolds()
  expect(holds.isHeld('/p/.git')).toBe(true)
  const gone = holds.add(['/p'], new Map([['/p', 'write']]))
  expect(holds.isHeld('/p/.git')).toBe(false)
  expect(holds.isHeld('/other/.git')).toBe(true)
  const alsoGone = holds.add(['/p'], new Map([['/p/.git', 'write']]))
  expect(holds.isHeld('/p/.git')).toBe(false)
  gone()
  expect(holds.isHeld('/p/.git')).toBe(true)
  expect(holds.isHeld('/p/a')).toBe(false)
  alsoGone()
  alsoGone()
  expect(holds.isHeld('/p/a')).toBe(true)
})
