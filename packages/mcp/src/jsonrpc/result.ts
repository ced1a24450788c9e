// What a method handler returns: the members of a complete result as JSON text, or a result of another type. Text
// without braces, so that a large result is serialized once. Returned by methods/, read by session/active-requests. Also
// the result of a tool that is forwarded. Pure.

import type { ContentBlock } from '../definitions/tool.js'
import { type JsonObject, stringifyWellFormed } from '../json/json.js'

export type HandlerResult = string | TypedResult

export class TypedResult {
  constructor(
    /** The `resultType` of the modern revision. */
    readonly resultType: 'complete' | 'input_required' | 'task',
    readonly members: string,
    /** Members of `_meta`, in addition to those of every modern result. */
    readonly meta = '',
  ) {}
}

/** A value of `run` that is a result already: that of a mounted server. Extended by mount/, sent by methods/tools. */
export abstract class ForwardedResult {
  abstract readonly output: { readonly content: readonly ContentBlock[]; readonly isError: boolean }
  abstract readonly structured: JsonObject | undefined
  /** The members of `_meta`. */
  abstract readonly meta: JsonObject | undefined
}

/** Returns the members of a result for a legacy revision. */
export function getResultMembers(result: HandlerResult): string {
  if (typeof result === 'string') return result
  const { members, meta } = result
  return meta === '' ? members : `${members},"_meta":{${meta}}`
}

/** Serializes an object's members without braces. */
export function stringifyMembers(members: object): string {
  return stringifyWellFormed(members).slice(1, -1)
}
