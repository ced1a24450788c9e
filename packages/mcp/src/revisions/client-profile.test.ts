import { describe, expect, test } from 'vitest'

import type { JsonObject } from '../json/json.js'
import {
  findMissingCapabilities,
  isLogLevel,
  isLogLevelEnabled,
  NO_ABILITIES,
  readClientAbilities,
  readClientName,
} from './client-profile.js'
import type { Revision } from './revision.js'

function abilities(revision: Revision, capabilities: JsonObject): readonly string[] {
  const profile = { revision, name: '', version: '', capabilities, logLevel: undefined, toolCallFormat: undefined }
  return Object.entries(readClientAbilities(profile)).flatMap(([name, value]) => (value ? [name] : []))
}

describe('the abilities of a client', () => {
  const all = {
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
    experimental: { 'claude/channel': {} },
  }

  test.each<[Revision, string[]]>([
    ['2024-11-05', ['sample', 'roots', 'push']],
    ['2025-03-26', ['sample', 'roots', 'push']],
    ['2025-06-18', ['form', 'sample', 'roots', 'push']],
    ['2025-11-25', ['form', 'url', 'sample', 'roots', 'push']],
    ['2026-07-28', ['form', 'url', 'sample', 'roots', 'tasks']],
  ])('that declares everything, at %s', (revision, expected) => {
    expect(abilities(revision, all)).toEqual(expected)
  })

  test.each<[JsonObject, string[]]>([
    [{}, []],
    [{ elicitation: {} }, ['form']],
    [{ elicitation: { form: {} } }, ['form']],
    [{ elicitation: { url: {} } }, ['url']],
    [{ elicitation: { url: true } }, []],
    [{ elicitation: { form: true } }, ['form']],
    [{ elicitation: { form: true, url: {} } }, ['url']],
    [{ elicitation: true, sampling: true, roots: [], experimental: true }, []],
    [{ experimental: {} }, []],
    [{ experimental: { 'claude/channel': true } }, []],
    [{ sampling: {} }, ['sample']],
    [{ roots: {} }, ['roots']],
  ])('that declares %j', (capabilities, expected) => {
    expect(abilities('2025-11-25', capabilities)).toEqual(expected)
  })

  test.each<[JsonObject]>([
    [{ extensions: {} }],
    [{ extensions: true }],
    [{ extensions: { 'io.modelcontextprotocol/tasks': true } }],
  ])('do not include tasks for %j', (capabilities) => {
    expect(abilities('2026-07-28', capabilities)).toEqual([])
  })

  test('are all absent without a way to send messages', () => {
    expect(NO_ABILITIES).toEqual({
      form: false,
      url: false,
      sample: false,
      roots: false,
      tasks: false,
      apps: false,
      push: false,
    })
  })
})

test.each([
  [{ name: 'editor' }, 'editor'],
  [{ name: 'x'.repeat(201) }, 'x'.repeat(200)],
  [{ name: 5 }, ''],
  ['editor', ''],
  [undefined, ''],
])('the client info %j has the name %j', (info, name) => {
  expect(readClientName(info)).toBe(name)
})

test.each<[JsonObject, unknown, JsonObject | undefined]>([
  [{}, {}, undefined],
  [{ sampling: {} }, { sampling: {} }, undefined],
  [{ sampling: {} }, { sampling: { tools: {} } }, undefined],
  [{ sampling: {} }, {}, { sampling: {} }],
  [{ sampling: {} }, { sampling: true }, { sampling: {} }],
  [{ sampling: {} }, undefined, { sampling: {} }],
  [{ sampling: { tools: {} } }, { sampling: {} }, { sampling: { tools: {} } }],
  [{ sampling: {}, roots: {} }, { roots: {} }, { sampling: {} }],
  [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {} } }, { elicitation: { url: {} } }],
  [{ sampling: true }, { sampling: {} }, undefined],
])('of the required %j the declared %j lacks %j', (required, declared, missing) => {
  expect(findMissingCapabilities(required, declared)).toEqual(missing)
})

test('log levels', () => {
  expect(['debug', 'notice', 'emergency', 'loud', '', undefined].map(isLogLevel)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(isLogLevelEnabled('warning', 'info')).toBe(true)
  expect(isLogLevelEnabled('info', 'info')).toBe(true)
  expect(isLogLevelEnabled('debug', 'info')).toBe(false)
  expect(isLogLevelEnabled('emergency', undefined)).toBe(false)
})
