import { expect, test } from 'vitest'

import { createServices } from '../services/services.js'
import { toolsOver } from '../tools/tool.js'
import { createServer } from './server.js'

const clock = toolsOver<{ clock: { now(): number } }>()({
  name: 'clock',
  title: 'Clock',
  description: 'Tells the time.',
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  needs: ['clock'],
  input: { type: 'object' },
  run: (_input, _call, { clock: watch }) => watch.now(),
  render: String,
})

test('a tool with an unknown service is rejected when the server is created, not when it is called', () => {
  const identity = { name: 's', version: '1', tools: [clock] }
  expect(() => createServer(identity)).toThrow('tool clock needs the service clock')
  expect(() =>
    createServer({ ...identity, services: createServices({ clock: () => ({ now: () => 5 }) }) }),
  ).not.toThrow()
})
