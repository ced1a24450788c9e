// W3C Trace Context, the one part we need: the trace-id of a `traceparent`, so that our log lines can be found by it.
// https://www.w3.org/TR/trace-context/#traceparent-header

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/s

/** The trace-id, or undefined where the value is not a valid traceparent. */
export function readTraceparent(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 512) return undefined
  const [, version, traceId, more] = TRACEPARENT.exec(value) ?? []
  // Only a later version may say more than version 00 does.
  return version === '00' && more !== undefined ? undefined : traceId
}
