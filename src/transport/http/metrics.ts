// What the HTTP server counts, as a page for Prometheus. A request costs two look-ups and three additions: series are
// made once and kept, and every label comes from a closed list, so that no client can grow the page.

import { createRegistry, type Counter, type Histogram, type Labels, type Registry } from '../../lib/exposition.js'
import { VERSION } from '../../lib/version.js'
import { watchVitals, type Vitals } from '../../platform/vitals.js'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export type Era = 'modern' | 'legacy' | 'armoriq' | 'sse' | 'websocket' | 'other'

const REASONS = [
  'host',
  'origin',
  'credentials',
  'scope',
  'rate',
  'streams',
  'connections',
  'size',
  'path',
  'method',
  'type',
  'body',
  'header',
  'session',
  'stopping',
  'error',
] as const

export type RefusalReason = (typeof REASONS)[number]

const METHODS: ReadonlySet<string> = new Set([
  'none',
  'batch',
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
])

const GAUGES = {
  sessions: 'Sessions that are open now.',
  streams: 'Event streams that are open now.',
  in_flight: 'Requests, streams and WebSockets that are open now.',
} as const

const REQUEST_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
// A command may run for minutes.
const CALL_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

export interface Metrics {
  /** An HTTP request that was answered, a refused one too; `method` is JSON-RPC's, or `none`. */
  answered(answer: { era: Era; method: string; status: number; seconds: number }): void
  /** Besides: why it was turned away. */
  refused(reason: RefusalReason): void
  called(call: { tool: string; outcome: Outcome; seconds: number }): void
  /** The page. Delays of the event loop are those since it was last asked for. */
  text(): string
  close(): void
}

export type Outcome = 'ok' | 'error' | 'cancelled'

export interface MetricsSettings {
  readonly gauges?: Partial<Readonly<Record<keyof typeof GAUGES, () => number>>>
  /** The tools that are counted by name; a call of any other counts as `other`. */
  readonly tools?: readonly string[]
}

export function createMetrics({ gauges = {}, tools = [] }: MetricsSettings = {}): Metrics {
  const registry = createRegistry()
  const vitals = watchVitals()
  const answered = countAnswers(registry)
  const refused = countRefusals(registry)
  const called = countCalls(registry, new Set(tools))
  for (const [name, help] of Object.entries(GAUGES)) {
    const read = new Map(Object.entries(gauges)).get(name)
    if (read) registry.read('gauge', `scorpiox_${name}`, help)({}, read)
  }
  describeProcess(registry, vitals)
  return {
    answered,
    refused,
    called,
    text() {
      const page = registry.text()
      vitals.forget()
      return page
    },
    close: () => vitals.close(),
  }
}

interface Route {
  readonly duration: Histogram
  readonly statuses: Map<number, Counter>
}

function countAnswers(registry: Registry): Metrics['answered'] {
  const requests = registry.counter('scorpiox_http_requests_total', 'HTTP requests answered.')
  const durations = registry.histogram(
    'scorpiox_http_request_duration_seconds',
    'From the head of a request to the end of its answer.',
    REQUEST_BOUNDS,
  )
  const eras = new Map<Era, Map<string, Route>>()
  return ({ era, method: given, status, seconds }) => {
    const method = METHODS.has(given) ? given : 'other'
    const routes = kept(eras, era, () => new Map<string, Route>())
    const route = kept(routes, method, () => ({ duration: durations({ era, method }), statuses: new Map() }))
    const counter = kept(route.statuses, status, () => requests({ era, method, status: String(status) }))
    counter.add(1)
    route.duration.observe(seconds)
  }
}

function countRefusals(registry: Registry): Metrics['refused'] {
  const refusals = registry.counter('scorpiox_http_refused_total', 'HTTP requests turned away, by reason.')
  // All of them from the start: an alert on a series that does not exist yet never fires.
  const counters = new Map(REASONS.map((reason) => [reason, refusals({ reason })]))
  return (reason) => counters.get(reason)?.add(1)
}

interface ToolSeries {
  readonly duration: Histogram
  readonly outcomes: Map<Outcome, Counter>
}

function countCalls(registry: Registry, known: ReadonlySet<string>): Metrics['called'] {
  const calls = registry.counter('scorpiox_tool_calls_total', 'Tool calls that ended, by outcome.')
  const durations = registry.histogram(
    'scorpiox_tool_call_duration_seconds',
    'From the start of a tool call to its end.',
    CALL_BOUNDS,
  )
  const series = new Map<string, ToolSeries>()
  return ({ tool: given, outcome, seconds }) => {
    const tool = known.has(given) ? given : 'other'
    const { duration, outcomes } = kept(series, tool, () => ({ duration: durations({ tool }), outcomes: new Map() }))
    kept(outcomes, outcome, () => calls({ tool, outcome })).add(1)
    duration.observe(seconds)
  }
}

function describeProcess(registry: Registry, vitals: Vitals): void {
  const delays = registry.read('gauge', 'scorpiox_event_loop_delay_seconds', 'How late timers fire, since last read.')
  for (const quantile of [0.5, 0.99]) {
    delays({ quantile: String(quantile) }, () => vitals.loopDelaySeconds(quantile * 100))
  }
  const gauge = (name: string, help: string, value: () => number, labels: Labels = {}): void =>
    registry.read('gauge', `scorpiox_${name}`, help)(labels, value)
  gauge('process_resident_memory_bytes', 'Resident memory.', () => vitals.residentBytes())
  gauge('process_uptime_seconds', 'Time since the process started.', () => vitals.uptimeSeconds())
  gauge('build_info', 'Always 1; the version is in the label.', () => 1, { version: VERSION })
  const cpu = registry.read('counter', 'scorpiox_process_cpu_seconds_total', 'Processor time, user and system.')
  cpu({}, () => vitals.cpuSeconds())
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
