// A tool that reports progress and sends log messages while it runs, and stops when the client cancels the call.
import { setTimeout as pause } from 'node:timers/promises'
import { defineTool } from '@scorpiox/mcp'
import { tenses, verbs } from './conjugate.mjs'
import { table } from './verbs.mjs'

export const recite = defineTool({
  name: 'recite',
  description: 'Recites all forms of a verb, one tense after the other.',
  input: {
    type: 'object',
    required: ['verb'],
    properties: { verb: { enum: verbs }, pause_ms: { type: 'integer', minimum: 0, maximum: 60_000 } },
  },
  async run({ verb, pause_ms: ms = 500 }, { log, progress, signal }) {
    const lines = []
    for (const tense of tenses) {
      await pause(ms, undefined, { signal })
      lines.push(`${tense}: ${table[verb][tense].join(', ')}`)
      progress(lines.length, { total: tenses.length, message: lines.at(-1) })
      log('info', `${verb}: ${tense} recited`)
    }
    return lines.join('\n')
  },
})
