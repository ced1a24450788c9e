// What a method handler returns: the members of a complete result as JSON text, or a result of another type. Text
// without braces, so that a large result is serialized once. Returned by methods/, read by session/active-requests.
// Pure.

import { stringifyWellFormed } from '../json/json.js'

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
