import { expect, test } from 'vitest'

import { createActiveMounts } from './command-factory.js'

test('a path counts as mounted if it is a mount point in every command that could change it', () => {
  const holds = createActiveMounts()
  expect(holds.isMountedInAll('/p/.git')).toBe(true)
  const gone = holds.add(['/p'], new Map([['/p', 'write']]))
  expect(holds.isMountedInAll('/p/.git')).toBe(false)
  expect(holds.isMountedInAll('/other/.git')).toBe(true)
  const alsoGone = holds.add(['/p'], new Map([['/p/.git', 'write']]))
  expect(holds.isMountedInAll('/p/.git')).toBe(false)
  gone()
  expect(holds.isMountedInAll('/p/.git')).toBe(true)
  expect(holds.isMountedInAll('/p/a')).toBe(false)
  alsoGone()
  alsoGone()
  expect(holds.isMountedInAll('/p/a')).toBe(true)
})
