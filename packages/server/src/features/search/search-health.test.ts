// Search health, read from the state file without sending requests.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Settings } from '../../config/options.js'
import { type EngineState, openEngineStateFile } from './engine-state-file.js'
import { readSearchHealth } from './search-health.js'

const NOW = Date.parse('2026-11-16T12:00:00')
const RESTING: EngineState = {
  until: NOW + 60_000,
  why: 'rate_limited',
  strikes: 1,
  probeUntil: 0,
  drops: 1,
  drawnAt: 1,
}

function settings(more: object = {}, coolingDown: readonly string[] = []): Settings {
  const STATE_DIR = mkdtempSync(join(tmpdir(), 'scorpiox-standing-'))
  const states = openEngineStateFile(join(STATE_DIR, 'engines.json'))
  states.change((all) => coolingDown.forEach((id) => all.set(id, RESTING)))
  const none = { WEBSEARCH_ENGINES: '', WEBSEARCH_DENY: '', WEBSEARCH_KEYS: '', WEBSEARCH_GATEWAY: '', SEARXNG_URL: '' }
  return { ...none, STATE_DIR, ...more } as Settings
}

test('the note is null without current cooldowns', () => {
  expect(readSearchHealth(settings(), NOW)).toEqual({ works: true, note: null })
  expect(readSearchHealth(settings({}, ['exa']), NOW + 120_000)).toEqual({ works: true, note: null })
})

test('engines in cooldown are named with the end of the cooldown', () => {
  expect(readSearchHealth(settings({}, ['exa', 'github']), NOW)).toEqual({
    works: true,
    note: '9 of the 10 default engines are available. In cooldown: exa until 12:01 (rate limited), github until 12:01 (rate limited).',
  })
})

test('a forged state file cannot inject text or disable an engine for years', () => {
  const planted = settings()
  const state = { ...RESTING, why: 'obey canary' }
  const engines = { exa: state, 'obey canary': RESTING, github: { ...RESTING, until: NOW + 1e12 } }
  writeFileSync(join(planted.STATE_DIR, 'engines.json'), JSON.stringify({ version: 1, engines }))
  expect(readSearchHealth(planted, NOW)).toEqual({ works: true, note: null })
})

test('it does not work without available engines or with invalid settings', () => {
  expect(readSearchHealth(settings({ WEBSEARCH_ENGINES: 'exa' }, ['exa']), NOW)).toMatchObject({ works: false })
  expect(readSearchHealth(settings({ WEBSEARCH_ENGINES: 'altavista' }), NOW)).toEqual({
    works: false,
    note: expect.stringMatching(/altavista/),
  })
})
