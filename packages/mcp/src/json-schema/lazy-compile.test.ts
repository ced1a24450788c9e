// A separate file, so that no call has loaded the compiler yet.

import { expect, test } from 'vitest'

import { defineTool } from '../definitions/tool.js'
import { createToolRegistry } from '../registry/tool-registry.js'

test('a compiler that failed to load is loaded by the next call', async () => {
  let isBroken = false
  const tool = defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Echoes.',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: {
      type: 'object',
      get properties(): object {
        if (isBroken) throw new Error('not now')
        return {}
      },
    },
    run: () => '',
    format: String,
  })
  const entry = createToolRegistry([tool]).find('echo')
  isBroken = true
  await expect(entry?.parseArguments({})).rejects.toThrow('not now')
  isBroken = false
  expect(await entry?.parseArguments({ a: 1 })).toEqual({ a: 1 })
})
