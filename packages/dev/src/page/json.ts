// JSON values of the server under development, which are unknown until they are checked. Used by all of the page. Pure.

export type Members = { readonly [key: string]: unknown }

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {}
}

/** The text; '' if it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Indented. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

/** Returns the value, or why the text is not JSON. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is not JSON.' }
  }
}

/** 512 B, 14 KB, 3.1 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000
    ? `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} KB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** 0.4 ms, 12 ms, 3.2 s. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** 14:03:27.512 */
export function formatTime(at: number): string {
  const date = new Date(at)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
