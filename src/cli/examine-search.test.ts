// The finding of the doctor about search.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Settings } from '../config/options.js'
import { openEngineStates } from '../store/engine-states.js'
import { examineSearch } from './examine-search.js'

const NONE = { WEBSEARCH_ENGINES: '', WEBSEARCH_DENY: '', WEBSEARCH_KEYS: '', WEBSEARCH_GATEWAY: '', SEARXNG_URL: '' }

test('reports available engines, engines in a cooldown, and wrong settings', () => {
  const STATE_DIR = mkdtempSync(join(tmpdir(), 'scorpiox-search-'))
  const settings = { ...NONE, STATE_DIR } as Settings
  expect(examineSearch(settings)).toMatchObject({
    name: 'search',
    ok: true,
    detail: expect.stringMatching(/^all engines available/),
  })
  const cooldown = { until: Date.now() + 60_000, why: 'challenge', strikes: 1, probeUntil: 0, drops: 1, drawnAt: 1 }
  openEngineStates(join(STATE_DIR, 'engines.json')).change((all) => all.set('brave', cooldown))
  expect(examineSearch(settings)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/brave until .*\(challenge\)/),
  })
  expect(examineSearch({ ...settings, WEBSEARCH_ENGINES: 'altavista' })).toMatchObject({
    ok: false,
    fix: expect.stringMatching(/altavista/),
  })
})
