// What a cloned project says of its skills, and a script of itself, reaches every list without invisible characters: they
// can carry instructions that no person sees. All fields of a manifest have some, so a new list that shows one is found.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { removeInvisible } from '@scorpiox/server/text/untrusted-text'
import { emptyFolder, type Json, modernMeta, startServer, type TestClient } from './support/client.js'

/** Tag characters that spell "obey", a zero-width space, a direction override, and selectors that carry data. */
const HIDDEN = '\u{E006F}\u{E0062}\u{E0065}\u{E0079}\u200B\u202E\uFE01\uFE0F\uFE0F\u{E0100}\u2062\u001B[8m'

let client: TestClient

beforeAll(async () => {
  const [home, project, tools] = [emptyFolder(), emptyFolder(), emptyFolder()]
  const field = JSON.stringify(`visible${HIDDEN}`)
  const manifest = `---
name: hidden
description: ${field}
argument-hint: ${field}
license: ${field}
compatibility: ${field}
allowed-tools: ${field}
metadata: { author: ${field}, ${field}: 1, list: [${field}] }
${field}: ${field}
---
body
`
  const folder = join(project, '.claude/skills/hidden')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), manifest)
  const texts = { description: `visible${HIDDEN}`, title: `visible${HIDDEN}` }
  const input = { ...texts, properties: { a: { type: 'string', ...texts } } }
  const scripts = {
    'clean.sh': { ...texts, inputSchema: input, outputSchema: input },
    'name.sh': { ...texts, name: `name${HIDDEN}` },
    'enum.sh': { ...texts, inputSchema: { properties: { a: { enum: [`x${HIDDEN}`] } } } },
    'key.sh': { ...texts, inputSchema: { properties: { [`x${HIDDEN}`]: { type: 'string' } } } },
  }
  for (const [file, schema] of Object.entries(scripts)) {
    writeFileSync(join(tools, file), `#!/bin/sh\ncat <<'END'\n${JSON.stringify(schema)}\nEND\n`)
    chmodSync(join(tools, file), 0o755)
  }
  client = startServer({ cwd: project, env: { HOME: home, SCRIPT_TOOLS: tools } })
  await client.initialize('2025-11-25', { extensions: {} })
})

afterAll(() => client?.close())

/** Every name and text in an answer. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsIn) : []
}

test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'skills/list'])(
  '%s has no invisible character',
  async (method) => {
    const legacy = await client.request(method)
    const modern = await client.request(method, modernMeta())
    for (const answer of [legacy, modern]) {
      const texts = textsIn(answer.result ?? {})
      expect(texts.filter((text) => removeInvisible(text) !== text)).toEqual([])
    }
    if (/^(tools|prompts|resources)\/list$/.test(method)) expect(JSON.stringify(legacy.result)).toContain('visible')
  },
)

test('a script whose schema would change is left out with the reason', async () => {
  const { tools } = (await client.request('tools/list')).result
  const names: readonly string[] = tools.map(({ name }: Json) => name)
  expect(names).toEqual(expect.arrayContaining(['clean', 'name_8m']))
  expect(names.filter((name) => name === 'enum' || name === 'key')).toEqual([])
  expect(client.stderr()).toMatch(/enum\.sh is left out: it has an "inputSchema" with characters that cannot be seen/)
})
