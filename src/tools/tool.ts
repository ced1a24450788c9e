// What a tool is: a value one can read without running it, in the order data moves.
// who (name, title, description, hints) · in (input) · out (output) · work (run) · words (render).

import type { JsonObject } from '../lib/json.js'
import type { FromSchema } from '../lib/json-schema/type.js'
import type { Call } from './call.js'
import type { StandardSchema } from './standard-schema.js'

/** What a client may assume before it calls. All four are required: an absent hint is a silent gap. */
export interface Hints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: { readonly uri: string; readonly mimeType?: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      )
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly title?: string
      readonly description?: string
      readonly mimeType?: string
      readonly size?: number
    }

/** What the model reads. `isError` marks an outcome the model should repair, such as a non-zero exit code. */
export type Words =
  | string
  | readonly Block[]
  | { readonly content: string | readonly Block[]; readonly isError: boolean }

export type Schema = JsonObject | StandardSchema

/** The input as `run` sees it, and the output as `render` sees it. */
export type Parsed<S> = S extends StandardSchema<unknown, infer Output> ? Output : FromSchema<S>

/** A tool as the kernel sees it; `defineTool` keeps the precise types for whoever writes one. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly hints: Hints
  /** The services `run` receives; each is opened when a call first needs it. */
  readonly needs?: readonly string[]
  /** Client capabilities without which the tool cannot work, e.g. `{ sampling: {} }`. */
  readonly requires?: JsonObject
  /** Its calls may outlive their answer (see `Call.defer`); `always`: who cannot take that is refused before `run`. */
  readonly defers?: 'sometimes' | 'always'
  readonly input: Schema
  /** What counts as given where a caller leaves it out, also what the schema says is required. */
  readonly assumed?: JsonObject
  readonly output?: Schema
  run(input: unknown, services: unknown, call: Call): unknown
  render(value: unknown): Words
}

interface Definition<I extends Schema, O extends Schema, V, S, K extends keyof S & string> extends Omit<
  Tool,
  'input' | 'output' | 'needs' | 'run' | 'render'
> {
  readonly needs?: readonly K[]
  readonly input: I
  /** The part of the value a program may rely on; what `run` returns beyond it reaches only `render`. */
  readonly output?: O
  run(input: Parsed<I>, services: Pick<S, K>, call: Call): V | Promise<V>
  render(value: NoInfer<V>): Words
}

/** `defineTool` for tools that use the services `S`: `needs` names them, and `run` receives just those. */
export function toolsOver<S>() {
  return <
    const I extends Schema,
    const O extends Schema,
    V extends Parsed<O>,
    const K extends keyof S & string = never,
  >(
    definition: Definition<I, O, V, S, K>,
  ): Tool => definition
}

export const defineTool = toolsOver<object>()
