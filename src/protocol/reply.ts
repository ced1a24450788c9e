// What a method gives back: the members of a complete result as text, or a result of another kind.
// As text, without braces, so that a large result is printed once.

import { printJson } from '../lib/json.js'

export type Result = string | Reply

export class Reply {
  constructor(
    /** The modern `resultType`. */
    readonly type: 'complete' | 'input_required' | 'task',
    readonly members: string,
    /** Members for `_meta`, besides those that every modern result has. */
    readonly meta = '',
  ) {}
}

/** The members of a result outside of the modern envelope. */
export function membersOf(result: Result): string {
  if (typeof result === 'string') return result
  const { members, meta } = result
  return meta === '' ? members : `${members},"_meta":{${meta}}`
}

/** The text of an object's members, ready to stand among others. */
export function memberText(members: object): string {
  return printJson(members).slice(1, -1)
}
