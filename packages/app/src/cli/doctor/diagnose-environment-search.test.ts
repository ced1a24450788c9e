// The finding of the doctor about search.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import type { Settings } from '@scorpiox/server/config/options'
import { openEngineStateFile } from '@scorpiox/server/features/search/engine-state-file'
import { diagnoseSearch } from './diagnose-environment.js'

const NONE = { WEBSEARCH_ENGINES: '', WEBSEARCH_DENY: '', WEBSEARCH_KEYS: '', WEBSEARCH_GATEWAY: '', SEARXNG_URL: '' }

test('reports available engines, engines in a cooldown, and wrong settings', () => {
  const STATE_DIR = mkdtempSync(join(tmpdir(), 'scorpiox-search-'))
  const settings = { ...NONE, STATE_DIR } as Settings
  expect(diagnoseSearch(settings)).toMatchObject({
    name: 'search',
    ok: true,
    detail: expect.stringMatching(/^no engine is in a cooldown, and none was queried/),
  })
  const cooldown = { until: Date.now() + 60_000, why: 'challenge', strikes: 1, probeUntil: 0, drops: 1, drawnAt: 1 }
  openEngineStateFile(join(STATE_DIR, 'engines.json')).change((all) => all.set('brave', cooldown))
  expect(diagnoseSearch(settings)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/brave until .*\(challenge\)/),
  })
  expect(diagnoseSearch({ ...settings, WEBSEARCH_ENGINES: 'altavista' })).toMatchObject({
    ok: false,
    fix: expect.stringMatching(/altavista/),
  })
})
