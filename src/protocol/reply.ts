// What a method handler returns: the members of a complete result as JSON text, or a result of another type. Text
// without braces, so that a large result is serialized once.

import { printJson } from '../lib/json.js'

export type Result = string | Reply

export class Reply {
  constructor(
    /** The `resultType` of the modern revision. */
    readonly type: 'complete' | 'input_required' | 'task',
    readonly members: string,
    /** Members of `_meta`, in addition to those of every modern result. */
    readonly meta = '',
  ) {}
}

/** Returns the members of a result for a legacy revision. */
export function membersOf(result: Result): string {
  if (typeof result === 'string') return result
  const { members, meta } = result
  return meta === '' ? members : `${members},"_meta":{${meta}}`
}

/** Serializes an object's members without braces. */
export function memberText(members: object): string {
  return printJson(members).slice(1, -1)
}
