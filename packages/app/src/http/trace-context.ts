// Reads the trace id of a W3C `traceparent` header, so that log lines can be found by it.
// https://www.w3.org/TR/trace-context/#traceparent-header

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/s

/** Returns the trace id, or undefined if the value is not a valid traceparent. */
export function parseTraceId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 512) return undefined
  const [, version, traceId, more] = TRACEPARENT.exec(value) ?? []
  // Version 00 has no further fields; later versions may.
  return version === '00' && more !== undefined ? undefined : traceId
}
