// Declaration of a tool: a value that can be read without running the tool. The members are in the order in which data
// flows: name, title, description, hints; input; run; text for the model (format); data for programs (meta). The last
// three can be loaded by the first call (load). `output` declares structured content in place of `format`, because some
// clients show their model only that. Used by all tools and tool-registry.ts. Pure.

import type { FromSchema } from '../json-schema/infer-type.js'
import type { JsonObject } from '../json/json.js'
import type { ToolUi } from './app-view.js'
import type { CallContext } from './call-context.js'
import type { Icon } from './icon.js'
import type { StandardSchema } from './standard-schema.js'

/** Behaviour hints for clients. The protocol tells clients to assume the worst for a missing hint. */
export interface ToolHints {
  /** The tool changes nothing. Default: false. */
  readonly readOnly?: boolean
  /** The tool may delete or overwrite existing data. Default: true. */
  readonly destructive?: boolean
  /** Repeating the call with the same arguments changes nothing more. Default: false. */
  readonly idempotent?: boolean
  /** The tool interacts with external systems, such as the web. Default: true. */
  readonly openWorld?: boolean
}

/** One content block of a result: text, image, audio, an embedded resource or a resource link. */
export type ContentBlock =
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

/** The output for the model. `isError` marks an outcome the model should correct, such as a non-zero exit code. */
export type ToolOutput =
  | string
  | readonly ContentBlock[]
  | { readonly content: string | readonly ContentBlock[]; readonly isError: boolean }

/** Describes input or output: JSON Schema, or a schema of any Standard Schema library, such as zod. */
export type ToolSchema = JsonObject | StandardSchema

/** The type `run` receives for an input schema, and `format` for an output schema. */
export type SchemaOutput<S> = S extends StandardSchema<unknown, infer Output> ? Output : FromSchema<S>

/** The part of a tool whose types do not depend on its input and output. */
interface ToolBase {
  readonly name: string
  /** The name shown to people. Default: `name`. */
  readonly title?: string
  /** The description the model reads to decide whether to call the tool. Write one. */
  readonly description?: string
  readonly hints?: ToolHints
  /** Icons for clients since revision 2025-11-25. */
  readonly icons?: readonly Icon[]
  /** The view that clients with MCP Apps show for a call. The text of the result stays complete for others. */
  readonly ui?: ToolUi
  /**
   * The scopes that an authenticated caller needs. Callers without them do not see the tool, and a call is refused with
   * 403. Callers over stdio, and those of a server without `http.auth`, need none.
   */
  readonly scopes?: readonly string[]
  /** Client capabilities the tool requires, e.g. `{ sampling: {} }`. */
  readonly requires?: JsonObject
  /**
   * Calls may continue as tasks (see `CallContext.continueAsTask`). `always`: clients without task support are
   * rejected before `run`.
   */
  readonly taskSupport?: 'sometimes' | 'always'
  /** Values for arguments the caller omits, including required ones. */
  readonly defaultArguments?: JsonObject
}

/** What a call of a tool does. */
export interface ToolHandler {
  run(input: unknown, call: CallContext, services: unknown): unknown
  /**
   * Turns the value into output for the model. Without it, a string or content blocks returned by `run` are sent as
   * they are and anything else as JSON.
   */
  format?(value: unknown): ToolOutput
  /** Data for programs: members of the result's `_meta`, which clients do not show to the model. */
  meta?(value: unknown): JsonObject
}

/** The part of a tool that lists and validation need. */
export interface ToolDeclaration extends ToolBase {
  /** The services `run` receives. Each is opened by the first call that needs it. */
  readonly services?: readonly string[]
  /** Default: no arguments. */
  readonly input?: ToolSchema
  /** Error text by argument name, used in place of the validator's message. */
  readonly argumentErrors?: Readonly<Record<string, string | undefined>>
  /**
   * The value is sent as `structuredContent`, and as JSON text as the specification requires. `format` is not allowed
   * beside it. Claude Code and Codex show their model the structured content and drop text and images.
   */
  readonly output?: ToolSchema
}

/** A tool as the kernel sees it. `defineTool` checks the precise types. */
export type ToolDefinition = ToolDeclaration & (ToolHandler | LoadedOnDemand<ToolHandler>)

interface LoadedOnDemand<H> {
  /** Loads `run`, `format` and `meta`, such as by `import()`. Called by the first call; repeated if it fails. */
  load(): Promise<H>
}

/** The input schema of a tool without arguments. */
export const NO_INPUT_SCHEMA = { type: 'object', properties: {}, additionalProperties: false } as const

interface TypedDeclaration<I extends ToolSchema, O extends ToolSchema, K> extends ToolBase {
  readonly services?: readonly K[]
  readonly input?: I
  readonly argumentErrors?: { readonly [A in keyof SchemaOutput<NoInfer<I>> & string]?: string }
  /** The members of the value that are sent; see `ToolDeclaration.output`. */
  readonly output?: O
}

interface TypedHandler<I extends ToolSchema, V, Services, Claims> {
  // Not a method, so that a loaded handler's parameters are checked strictly.
  readonly run: (input: SchemaOutput<I>, call: CallContext<Claims>, services: Services) => V | Promise<V>
  format?(value: NoInfer<V>): ToolOutput
  meta?(value: NoInfer<V>): JsonObject
}

/**
 * `defineTool` for tools that use the services `S`, of which `run` receives the ones the tool names, or read the `Claims`
 * that `http.auth` returns.
 */
export function defineToolWith<S, Claims = JsonObject>() {
  return <
    const I extends ToolSchema = typeof NO_INPUT_SCHEMA,
    const O extends ToolSchema = ToolSchema,
    V extends SchemaOutput<O> = SchemaOutput<O>,
    const K extends keyof S & string = never,
  >(
    definition: TypedDeclaration<I, O, K> &
      (
        | TypedHandler<I, V, Pick<S, NoInfer<K>>, Claims>
        | LoadedOnDemand<TypedHandler<I, V, Pick<S, NoInfer<K>>, Claims>>
      ),
  ): ToolDefinition => definition
}

/** Checks the types of a tool: `run` receives what `input` describes and must return what `output` declares. */
export const defineTool = defineToolWith<object>()
