// Drafts of a plan: the newest are kept, on disk and in the database, however many are saved.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import {
  call,
  directorySize,
  newEnvironment,
  startServerIn,
  type TestClient,
  type ToolResult,
} from '../support/client.js'

const MEGABYTE = 1024 * 1024

const plan = (client: TestClient, action: string, more: object = {}): Promise<ToolResult> =>
  call(client, 'PlanMode', { action, ...more })

test('40 drafts of a megabyte take no more than a few', async () => {
  const place = newEnvironment()
  const client = startServerIn(place)
  await client.initialize('2025-11-25')
  const { structured } = await plan(client, 'enter', { goal: 'grow' })
  const drafts: ToolResult[] = []
  for (let count = 1; count <= 40; count++)
    drafts.push(await plan(client, 'status', { plan: `# Draft ${count}\n${'x'.repeat(1_000_000)}` }))
  expect(drafts.filter(({ isError }) => isError)).toEqual([])
  expect(drafts[0]?.text).toMatch(/saved as a draft to \S+\.\n$/)
  expect(drafts.at(-1)?.text).toMatch(
    /saved as a draft to \S+\. The oldest version was removed: at most 100 versions or 8 MB/,
  )
  const folder = join(place.cwd, '.scorpiox/sessions', structured.session)
  const versions = readdirSync(folder).filter((name) => /^plan\.\d+\.md$/.test(name))
  expect(versions).toContain('plan.40.md')
  expect(versions).not.toContain('plan.1.md')
  // Without the bound: 41 MB in the folder and 46 MB in the database.
  expect(directorySize(folder)).toBeLessThan(11 * MEGABYTE)
  expect(directorySize(String(place.env.STATE_DIR ?? place.env.HOME))).toBeLessThan(24 * MEGABYTE)
  // Many small ones are kept up to their number.
  for (let count = 1; count <= 110; count++) await plan(client, 'status', { plan: `small ${count}` })
  const small = readdirSync(folder).filter((name) => /^plan\.\d+\.md$/.test(name))
  expect(small, small.join('\n')).toHaveLength(100)
  const { text } = await plan(client, 'exit', { plan: '' })
  expect(text).toContain('Plan saved to')
  await client.close()
})
