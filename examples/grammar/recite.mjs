// Work that takes a while: it reports progress, and stops when the client cancels.
import { setTimeout as pause } from 'node:timers/promises'
import { defineTool } from 'scorpiox-code'
import { table, tenses, verbs } from './conjugate.mjs'

export const recite = defineTool({
  name: 'recite',
  description: 'Recites all forms of a verb, one tense after the other.',
  input: {
    type: 'object',
    required: ['verb'],
    properties: { verb: { enum: verbs }, pause_ms: { type: 'integer', minimum: 0, maximum: 60_000 } },
  },
  async run({ verb, pause_ms: ms = 0 }, { progress, signal }) {
    const lines = []
    for (const tense of tenses) {
      await pause(ms, undefined, { signal })
      lines.push(`${tense}: ${table[verb][tense].join(', ')}`)
      progress(lines.length, { total: tenses.length, message: tense })
    }
    return lines.join('\n')
  },
})
