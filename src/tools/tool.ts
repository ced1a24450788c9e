// What a tool is: a value one can read without running it, in the order data moves.
// name, title, description, hints · input · run · text for the model (render) · data for programs (meta).
// `output` declares structured content instead of `render`: some clients show the model that and nothing else.

import type { JsonObject } from '../lib/json.js'
import type { FromSchema } from '../lib/json-schema/type.js'
import type { Call } from './call.js'
import type { StandardSchema } from './standard-schema.js'

/** What a client may assume before it calls. Of a hint that is left out it assumes the worst, as the protocol tells it to. */
export interface Hints {
  /** It changes nothing. Assumed: false. */
  readonly readOnly?: boolean
  /** It may undo or overwrite what is there. Assumed: true. */
  readonly destructive?: boolean
  /** To call it again with the same arguments changes nothing more. Assumed: false. */
  readonly idempotent?: boolean
  /** It meets things that others make, such as the web. Assumed: true. */
  readonly openWorld?: boolean
}

/** One piece of what a tool says: text, a picture, a sound, a resource or a link to one. */
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

/** How input and output are described: JSON Schema, or any library that speaks Standard Schema, such as zod. */
export type Schema = JsonObject | StandardSchema

/** The input as `run` sees it, and the output as `render` sees it. */
export type Parsed<S> = S extends StandardSchema<unknown, infer Output> ? Output : FromSchema<S>

/** The part of a tool whose types do not depend on its input and output. */
interface ToolBase {
  readonly name: string
  /** What people see; the name, unless told. */
  readonly title?: string
  /** What the model reads before it decides to call: write one. */
  readonly description?: string
  readonly hints?: Hints
  /** Client capabilities without which the tool cannot work, e.g. `{ sampling: {} }`. */
  readonly requires?: JsonObject
  /** Its calls may outlive their answer (see `Call.defer`); `always`: who cannot take that is refused before `run`. */
  readonly defers?: 'sometimes' | 'always'
  /** What counts as given where a caller leaves it out, also what the schema says is required. */
  readonly assumed?: JsonObject
}

/** A tool as the kernel sees it; `defineTool` keeps the precise types for whoever writes one. */
export interface Tool extends ToolBase {
  /** The services `run` receives; each is opened when a call first needs it. */
  readonly needs?: readonly string[]
  /** Without it there are no arguments. */
  readonly input?: Schema
  /** What a caller is told whose value of that argument does not fit, in place of the validator's words. */
  readonly complaints?: Readonly<Record<string, string | undefined>>
  /**
   * Declares that the value is sent as `structuredContent`, and as JSON in the text, as the specification asks; `render`
   * is not allowed beside it. Claude Code and Codex show their model the structured content and drop text and images.
   */
  readonly output?: Schema
  run(input: unknown, call: Call, services: unknown): unknown
  /** The text for the model. Without it a string or blocks that `run` returns are sent as they are, anything else as JSON. */
  render?(value: unknown): Words
  /** Data for programs: members of the result's `_meta`, which clients do not show to their model. */
  meta?(value: unknown): JsonObject
}

/** The input of a tool that has none. */
export const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false } as const

interface TypedDefinition<I extends Schema, O extends Schema, V, S, K extends keyof S & string> extends ToolBase {
  readonly needs?: readonly K[]
  readonly input?: I
  readonly complaints?: { readonly [A in keyof Parsed<NoInfer<I>> & string]?: string }
  /** The members of the value that are sent, as `structuredContent` and as JSON in the text; see `Tool.output`. */
  readonly output?: O
  run(input: Parsed<I>, call: Call, services: Pick<S, K>): V | Promise<V>
  render?(value: NoInfer<V>): Words
  meta?(value: NoInfer<V>): JsonObject
}

/** `defineTool` for tools that use the services `S`: `needs` names them, and `run` receives just those. */
export function toolsOver<S>() {
  return <
    const I extends Schema = typeof NO_INPUT,
    const O extends Schema = Schema,
    V extends Parsed<O> = Parsed<O>,
    const K extends keyof S & string = never,
  >(
    definition: TypedDefinition<I, O, V, S, K>,
  ): Tool => definition
}

/** Checks the types of a tool: `run` gets what `input` describes, and must return what `output` promises. */
export const defineTool = toolsOver<object>()
