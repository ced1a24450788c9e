import { expect, test } from 'vitest'

import { VERSION } from '@scorpiox/server/config/version'
import { createMetrics, type HttpProtocol } from './metrics.js'

const SAMPLE = /^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/

function page(fill: (metrics: ReturnType<typeof createMetrics>) => void, settings = {}): string {
  const metrics = createMetrics({ prefix: 'scorpiox_', version: VERSION, ...settings })
  fill(metrics)
  const text = metrics.format()
  metrics.close()
  return text
}

test('counts a response by era, method and status, and its duration by era and method', () => {
  const text = page((metrics) => {
    const answer = { era: 'legacy', method: 'tools/call', status: 200 } as const
    metrics.countRequest({ ...answer, seconds: 0.003 })
    metrics.countRequest({ ...answer, seconds: 7 })
    metrics.countRequest({ ...answer, status: 400, seconds: 0.0001 })
  })
  expect(text).toContain('scorpiox_http_requests_total{era="legacy",method="tools/call",status="200"} 2\n')
  expect(text).toContain('scorpiox_http_requests_total{era="legacy",method="tools/call",status="400"} 1\n')
  const bucket = 'scorpiox_http_request_duration_seconds_bucket{era="legacy",method="tools/call",le='
  expect(text).toContain(`${bucket}"0.0025"} 1\n${bucket}"0.005"} 2\n`)
  expect(text).toContain(`${bucket}"5"} 2\n${bucket}"10"} 3\n`)
  expect(text).toContain('scorpiox_http_request_duration_seconds_count{era="legacy",method="tools/call"} 3\n')
})

test('clients cannot grow the output: unknown methods and tools count as other', () => {
  const lines = (rounds: number): number =>
    page(
      (metrics) => {
        for (let round = 0; round < rounds; round++) {
          metrics.countRequest({ era: 'modern', method: `evil/${round}`, status: 404, seconds: 0.001 })
          metrics.countToolCall({ tool: `Evil${round}`, outcome: 'error', seconds: 0.001 })
        }
      },
      { tools: ['Bash'] },
    ).split('\n').length
  expect(lines(1000)).toBe(lines(1))
})

test('counts a tool call by name and outcome', () => {
  const text = page(
    (metrics) => {
      metrics.countToolCall({ tool: 'Bash', outcome: 'ok', seconds: 0.2 })
      metrics.countToolCall({ tool: 'Bash', outcome: 'cancelled', seconds: 200 })
    },
    { tools: ['Bash'] },
  )
  expect(text).toContain('scorpiox_tool_calls_total{tool="Bash",outcome="ok"} 1\n')
  expect(text).toContain('scorpiox_tool_calls_total{tool="Bash",outcome="cancelled"} 1\n')
  expect(text).toContain('scorpiox_tool_call_duration_seconds_bucket{tool="Bash",le="0.25"} 1\n')
})

test('every refusal reason starts at zero', () => {
  const text = page((metrics) => metrics.countRefusal('origin'))
  expect(text).toContain('scorpiox_http_refused_total{reason="origin"} 1\n')
  expect(text).toContain('scorpiox_http_refused_total{reason="credentials"} 0\n')
})

test('reads gauges when the metrics are formatted', () => {
  let open = 1
  const metrics = createMetrics({
    prefix: 'scorpiox_',
    version: VERSION,
    gauges: { sessions: () => open, in_flight: () => 0 },
  })
  expect(metrics.format()).toContain('\nscorpiox_sessions 1\n')
  open = 5
  const text = metrics.format()
  metrics.close()
  expect(text).toContain('\nscorpiox_sessions 5\n')
  expect(text).toContain('\nscorpiox_in_flight 0\n')
  expect(text).not.toContain('scorpiox_streams')
})

test('the output is well-formed, and every family is declared once, before its samples', () => {
  const eras: HttpProtocol[] = ['modern', 'legacy', 'armoriq', 'sse', 'websocket', 'other']
  const text = page((metrics) => {
    for (const era of eras) metrics.countRequest({ era, method: 'none', status: 200, seconds: 0.01 })
    metrics.countToolCall({ tool: 'x', outcome: 'ok', seconds: 1 })
  })
  expect(text).toMatch(/\n$/)
  const declared = new Set<string>()
  for (const line of text.trimEnd().split('\n')) {
    const [, family] = /^# TYPE ([a-z_]+) (?:counter|gauge|histogram)$/.exec(line) ?? []
    if (family !== undefined) {
      expect(declared).not.toContain(family)
      declared.add(family)
    } else if (!line.startsWith('# HELP ')) {
      expect(line).toMatch(SAMPLE)
      const name = /^[a-z_]+/.exec(line)?.[0] ?? ''
      expect(declared.has(name) || declared.has(name.replace(/_(bucket|sum|count)$/, ''))).toBe(true)
    }
  }
  for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'event_loop_delay_seconds']) {
    expect(declared).toContain(`scorpiox_${name}`)
  }
})
