// The options of `toolsFromOpenApi`. Types only.

import type { CallContext } from '../definitions/call-context.js'

/** How tools are made from an OpenAPI document, and how they call the API. */
export interface OpenApiOptions {
  /**
   * The address of the API. Every request goes below it, whatever `servers` of the document says. Its query, such as
   * `?key=…`, is added to every request.
   */
  readonly baseUrl: string
  /** Sent with every request, such as credentials. The model does not see them. A function is called before each request. */
  readonly headers?: OpenApiHeaders
  /** Which operations become tools. Default: all. */
  readonly include?: OperationFilter
  /** Which of those do not. */
  readonly exclude?: OperationFilter
  /** Names of tools, by `operationId` or as in `GET /pets`. Default: the `operationId`. */
  readonly names?: Readonly<Record<string, string>>
  /** How long a request may take. Default: one minute. */
  readonly timeoutMs?: number
  /** How much of a response is read. Default: 256 KiB. */
  readonly maxBytes?: number
}

/** Headers, or a function that returns those for the caller. */
export type OpenApiHeaders =
  | Readonly<Record<string, string>>
  | ((call: CallContext) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** Chooses operations: by `operationId`, tag or as in `GET /pets`; or with a function. */
export type OperationFilter = readonly string[] | ((operation: OpenApiOperation) => boolean)

/** An operation of an OpenAPI document. */
export interface OpenApiOperation {
  /** The `operationId`, if there is one. */
  readonly id: string | undefined
  /** In upper case. */
  readonly method: string
  /** As in the document, such as `/pets/{petId}`. */
  readonly path: string
  readonly tags: readonly string[]
}
