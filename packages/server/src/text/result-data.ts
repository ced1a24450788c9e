// Data for programs in a tool result: exit codes, IDs, counts, under one key of `_meta`. `structuredContent` is not
// used, because Claude Code and Codex show it to the model instead of the text. Used by the tools, and by `call` of the
// app. Pure.

import type { JsonObject } from '@scorpiox/mcp/json/json'

export const RESULT_DATA = 'io.github.scorpiox/result'

/** A tool's `meta` function that sends the named members of its result. */
export function resultData<K extends string>(
  ...names: readonly K[]
): (value: { readonly [Name in K]?: unknown }) => JsonObject {
  return (value) => {
    const members: Record<string, unknown> = {}
    for (const name of names) members[name] = value[name]
    return toResultMeta(members)
  }
}

/** The `_meta` of a result with these members; undefined ones are left out. */
export function toResultMeta(data: object): JsonObject {
  return { [RESULT_DATA]: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)) }
}
