// Counts requests, refusals and tool calls of the HTTP server, and formats them for Prometheus. Series are created once
// and reused, and every label comes from a fixed list, so that clients cannot grow the output. Created by
// http-context.ts, counted there and by http-exchange.ts, sent by router.ts at /metrics. In memory only.

import { type ProcessStats, startProcessStats } from './process-stats.js'
import {
  type Counter,
  createMetricRegistry,
  type Histogram,
  type MetricLabels,
  type MetricRegistry,
} from './prometheus.js'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export type HttpProtocol = 'modern' | 'legacy' | 'armoriq' | 'sse' | 'websocket' | 'other'

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
  'machine',
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

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
// A command may run for minutes.
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

export interface Metrics {
  /** Counts an answered or refused HTTP request; `method` is the JSON-RPC method, or `none`. */
  countRequest(answer: { era: HttpProtocol; method: string; status: number; seconds: number }): void
  /** Counts the reason of a refusal. */
  countRefusal(reason: RefusalReason): void
  countToolCall(call: { tool: string; outcome: CallOutcome; seconds: number }): void
  /** Formats all metrics. Event loop delays are those since the last call. */
  format(): string
  close(): void
}

export type CallOutcome = 'ok' | 'error' | 'cancelled'

export interface MetricsOptions {
  /** The prefix of all metric names. */
  readonly prefix: string
  /** The version in `build_info`. */
  readonly version: string
  /** Labels of every series. */
  readonly labels?: MetricLabels | undefined
  readonly gauges?: Partial<Readonly<Record<keyof typeof GAUGES, () => number>>>
  /** The tools that are counted by name; others count as `other`. */
  readonly tools?: readonly string[]
}

export function createMetrics({ prefix, version, labels, gauges = {}, tools = [] }: MetricsOptions): Metrics {
  const registry = createMetricRegistry(labels)
  const processStats = startProcessStats()
  const countRequest = countAnswers(registry, prefix)
  const countRefusal = countRefusals(registry, prefix)
  const countToolCall = countCalls(registry, prefix, new Set(tools))
  for (const [name, help] of Object.entries(GAUGES)) {
    const read = new Map(Object.entries(gauges)).get(name)
    if (read) registry.observable('gauge', `${prefix}${name}`, help)({}, read)
  }
  describeProcess(registry, processStats, prefix, version)
  return {
    countRequest,
    countRefusal,
    countToolCall,
    format() {
      const text = registry.format()
      processStats.resetDelays()
      return text
    },
    close: () => processStats.close(),
  }
}

interface RequestSeries {
  readonly duration: Histogram
  readonly statuses: Map<number, Counter>
}

function countAnswers(registry: MetricRegistry, prefix: string): Metrics['countRequest'] {
  const requests = registry.counter(`${prefix}http_requests_total`, 'HTTP requests answered.')
  const durations = registry.histogram(
    `${prefix}http_request_duration_seconds`,
    'From the head of a request to the end of its answer.',
    REQUEST_BUCKETS,
  )
  const byEra = new Map<HttpProtocol, Map<string, RequestSeries>>()
  return ({ era, method: name, status, seconds }) => {
    const method = METHODS.has(name) ? name : 'other'
    const byMethod = getOrCreate(byEra, era, () => new Map<string, RequestSeries>())
    const series = getOrCreate(byMethod, method, () => ({ duration: durations({ era, method }), statuses: new Map() }))
    const counter = getOrCreate(series.statuses, status, () => requests({ era, method, status: String(status) }))
    counter.add(1)
    series.duration.observe(seconds)
  }
}

function countRefusals(registry: MetricRegistry, prefix: string): Metrics['countRefusal'] {
  const refusals = registry.counter(`${prefix}http_refused_total`, 'HTTP requests refused, by reason.')
  // All are created at start: an alert on a missing series never fires.
  const counters = new Map(REASONS.map((reason) => [reason, refusals({ reason })]))
  return (reason) => counters.get(reason)?.add(1)
}

interface ToolSeries {
  readonly duration: Histogram
  readonly outcomes: Map<CallOutcome, Counter>
}

function countCalls(
  registry: MetricRegistry,
  prefix: string,
  toolNames: ReadonlySet<string>,
): Metrics['countToolCall'] {
  const calls = registry.counter(`${prefix}tool_calls_total`, 'Tool calls that ended, by outcome.')
  const durations = registry.histogram(
    `${prefix}tool_call_duration_seconds`,
    'From the start of a tool call to its end.',
    CALL_BUCKETS,
  )
  const series = new Map<string, ToolSeries>()
  return ({ tool: name, outcome, seconds }) => {
    const tool = toolNames.has(name) ? name : 'other'
    const { duration, outcomes } = getOrCreate(series, tool, () => ({
      duration: durations({ tool }),
      outcomes: new Map(),
    }))
    getOrCreate(outcomes, outcome, () => calls({ tool, outcome })).add(1)
    duration.observe(seconds)
  }
}

function describeProcess(registry: MetricRegistry, processStats: ProcessStats, prefix: string, version: string): void {
  const delays = registry.observable(
    'gauge',
    `${prefix}event_loop_delay_seconds`,
    'How late timers fire, since last read.',
  )
  for (const quantile of [0.5, 0.99]) {
    delays({ quantile: String(quantile) }, () => processStats.loopDelaySeconds(quantile * 100))
  }
  const gauge = (name: string, help: string, value: () => number, labels: MetricLabels = {}): void =>
    registry.observable('gauge', `${prefix}${name}`, help)(labels, value)
  gauge('process_resident_memory_bytes', 'Resident memory.', () => processStats.residentBytes())
  gauge('process_uptime_seconds', 'Time since the process started.', () => processStats.uptimeSeconds())
  gauge('build_info', 'Always 1; the version is in the label.', () => 1, { version })
  const cpu = registry.observable('counter', `${prefix}process_cpu_seconds_total`, 'Processor time, user and system.')
  cpu({}, () => processStats.cpuSeconds())
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = make()
  map.set(key, created)
  return created
}
