// Data for programs in a result: exit codes, ids, counts, under one key of the result's `_meta`. Not in
// `structuredContent`, because Claude Code and Codex show their model that instead of the text.

import type { JsonObject } from '../lib/json.js'

export const RESULT_DATA = 'io.github.scorpiox/result'

/** A tool's `meta` that sends the named members of its value. */
export function resultData<K extends string>(
  ...names: readonly K[]
): (value: { readonly [Name in K]?: unknown }) => JsonObject {
  return (value) => ({
    [RESULT_DATA]: Object.fromEntries(
      names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])),
    ),
  })
}
