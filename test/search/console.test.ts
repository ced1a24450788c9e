// The state of the search engines on the console page.

import { beforeAll, expect, onTestFinished, test } from 'vitest'

import type { ToolView } from '@scorpiox/console/view'
import { call, startServer } from '../support/client.js'
import { newMachine, startUi, watchConsole } from '../support/console-client.js'
import { type Replay, startReplay } from './support.js'

let replay: Replay
beforeAll(async () => void (replay = await startReplay()))

test('the page shows the engines in cooldown, at once', async () => {
  const machine = newMachine()
  const env = {
    HOME: machine.home,
    WEBSEARCH_GATEWAY: replay.gateway('ok;brave=challenge-202'),
    FETCH_ALLOW: `127.0.0.1:${replay.port}`,
  }
  const client = startServer({ env })
  const ui = await startUi(machine)
  onTestFinished(async () => {
    client.child.kill('SIGKILL')
    await ui.stop()
  })
  await client.initialize('2025-11-25')
  await call(client, 'TaskManager', { action: 'list', query: '' })
  const consoleStream = await watchConsole(ui)
  const search = (fits: (tool: ToolView) => boolean) =>
    consoleStream.until(({ servers }) =>
      servers.some(({ tools }) => tools.some((tool) => tool.name === 'WebSearch' && fits(tool))),
    )
  await search(({ works, note }) => works && note === null)
  expect((await call(client, 'WebSearch', { query: 'walnut joinery' })).isError).toBe(false)
  const sentence = /^9 of the 10 default engines are available\. In cooldown: brave until \d\d:\d\d \(challenge\)\.$/
  await search(({ works, note }) => works && sentence.test(note ?? ''))
})
