import { expect, test } from 'vitest'

import { defineToolWith } from '../definitions/tool.js'
import { createMcpServer } from './mcp-server.js'
import { createServiceTable } from './service-table.js'

const clock = defineToolWith<{ clock: { now(): number } }>()({
  name: 'clock',
  title: 'Clock',
  description: 'Tells the time.',
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  services: ['clock'],
  input: { type: 'object' },
  run: (_input, _call, { clock: watch }) => watch.now(),
  format: String,
})

test('a tool with an unknown service is rejected when the server is created, not when it is called', () => {
  const identity = { name: 's', version: '1', tools: [clock] }
  expect(() => createMcpServer(identity)).toThrow('tool clock needs the service clock')
  expect(() =>
    createMcpServer({ ...identity, services: createServiceTable({ clock: () => ({ now: () => 5 }) }) }),
  ).not.toThrow()
})
