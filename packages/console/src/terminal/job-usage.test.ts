import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { LANGUAGES } from '../i18n/translator.js'
import type { JobUsageView } from '../view.js'
import { inboxTranslatorFor } from './inbox-context.js'
import { drawJobUsage } from './job-usage.js'
import { createStyleCode, renderRow, rowText, rowWidth } from './rows.js'

const ENGLISH = inboxTranslatorFor('en')
const TALL = 24

const draw = (usage: JobUsageView, columns: number, rows = TALL): readonly string[] =>
  drawJobUsage(ENGLISH, usage, { columns, rows }).map(rowText)

const HISTORY = [10, 120, 50].map((processorPercent, index) => ({ processorPercent, memoryBytes: (index + 1) * 2e7 }))

test('a graph, the current value, the peak and more, and addresses', () => {
  expect(draw(usageOf({ history: HISTORY, ports: [5173, 3000] }), 80)).toEqual([
    'CPU                                ▁▇▃  50% · peak 120% · 1m 3s CPU time',
    'Memory                             ▃▅▇  60 MB · peak 60 MB · in 2 processes',
    'Ports   http://127.0.0.1:5173  http://127.0.0.1:3000',
  ])
})

test('on few columns the text is wrapped beside the graphs, and on fewer there are none', () => {
  expect(draw(usageOf({ history: HISTORY }), 40)).toEqual([
    'CPU            ▁▇▃  50% · peak 120%',
    '                    1m 3s CPU time',
    'Memory         ▃▅▇  60 MB · peak 60 MB',
    '                    in 2 processes',
    'Ports   none',
  ])
  expect(draw(usageOf({ history: HISTORY }), 30)[0]).toBe('CPU     50% · peak 120%')
})

test('on few rows there is a summary', () => {
  expect(draw(usageOf({ history: HISTORY, ports: [5173] }), 80, 10)).toEqual([
    'CPU 50%  Memory 60 MB',
    'http://127.0.0.1:5173',
  ])
})

test('after the first measurement there is neither a percentage nor a peak', () => {
  expect(draw(usageOf({}), 80).map((row) => row.replaceAll(/ {2,}/g, '  '))).toEqual([
    'CPU  1m 3s CPU time',
    'Memory  60 MB · in 2 processes',
    'Ports  none',
  ])
  expect(draw(usageOf({}), 80, 10)).toEqual(['Memory 60 MB'])
})

test('ports of a network of its own have no addresses, and of many ports some are counted', () => {
  const own = draw(usageOf({ ports: [80, 443], hasOwnNetwork: true }), 80)
  expect(own.at(-1)).toBe('Ports   80, 443 · reachable only from inside the job')
  const many = draw(usageOf({ ports: Array.from({ length: 9 }, (_, index) => 8000 + index) }), 80).slice(2)
  expect(many.join('\n')).toMatch(/^Ports {3}http:\/\/127\.0\.0\.1:8000 [^]*:8005\b[^]*and 3 more$/)
})

test('nothing is measured yet, or never', () => {
  const rowsOf = (usage: 'unknown' | null): readonly string[] =>
    drawJobUsage(ENGLISH, usage, { columns: 80, rows: TALL }).map(rowText)
  expect(rowsOf(null)).toEqual(['Measuring CPU, memory and ports…'])
  expect(rowsOf('unknown')).toEqual(['CPU, memory and ports can be measured only on Linux.'])
})

test('without colours only bold and dim remain', () => {
  const rows = drawJobUsage(ENGLISH, usageOf({ history: HISTORY }), { columns: 80, rows: TALL })
  const plain = rows.map((row) => renderRow(row, 80, { styleCode: createStyleCode(false) })).join('')
  expect(
    plain
      .split('\u001B[')
      .slice(1)
      .every((part) => /^[012]m/.test(part)),
  ).toBe(true)
  expect(plain).toContain('▁▇▃')
})

describe.each(LANGUAGES)('in $name', ({ language }) => {
  const sample = fc.record({ processorPercent: fc.nat(6400), memoryBytes: fc.nat(2 ** 40) })
  const usage = fc.record({
    history: fc.array(sample, { maxLength: 60 }),
    ports: fc.array(fc.integer({ min: 1, max: 65_535 }), { maxLength: 50 }),
    processes: fc.integer({ min: 1, max: 2000 }),
    processorMs: fc.nat(1e10),
  })

  test('no row is wider than the pane, and no address is broken', () => {
    const translator = inboxTranslatorFor(language)
    fc.assert(
      fc.property(usage, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 1, max: 60 }), (some, columns, rows) => {
        const drawn = drawJobUsage(translator, usageOf(some), { columns, rows })
        for (const row of drawn) expect(rowWidth(row)).toBeLessThanOrEqual(columns)
        const addresses = drawn.flatMap((row) => rowText(row).match(/http:\/\/127\.0\.0\.1:\d+(?= |$)/g) ?? [])
        expect(addresses).toEqual(some.ports.slice(0, 6).map((port) => `http://127.0.0.1:${port}`))
      }),
    )
  })
})

function usageOf(some: Partial<JobUsageView>): JobUsageView {
  return {
    ports: [],
    hasOwnNetwork: false,
    processes: 2,
    memoryBytes: 6e7,
    processorMs: 63_000,
    at: 10_000,
    history: [],
    historySince: 0,
    ...some,
  }
}
