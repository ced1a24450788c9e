import { expect, test } from 'vitest'

import { maxWaitMs } from './client-patience.js'

test.each([
  ['claude-code', 120_000],
  ['codex-mcp-client', 120_000],
  ['Gemini-cli-mcp-client', 120_000],
  // These end a call after 60 s.
  ['cline', 50_000],
  ['an unknown client', 50_000],
  ['', 50_000],
])('%s waits for %i ms', (client, ms) => expect(maxWaitMs(client)).toBe(ms))
