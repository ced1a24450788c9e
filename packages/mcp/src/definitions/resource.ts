// Declaration of resources: one resource with a fixed URI, or a family of resources under a URI template. Types, and
// functions that only check types. Used by authors of servers and by the registry.

import type { JsonObject } from '../json/json.js'
import type { ResourceUi } from './app-view.js'
import type { CallContext } from './call-context.js'
import type { Icon } from './icon.js'
import type { Completer } from './prompt.js'
import type { ContentBlock } from './tool.js'

interface ResourceInfo {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** Icons for clients since revision 2025-11-25. */
  readonly icons?: readonly Icon[]
  /** Of a view, whose URI begins with `ui://`. Such resources exist only for clients with MCP Apps. */
  readonly ui?: ResourceUi
}

interface FixedAddress {
  readonly uri: string
  readonly size?: number
}

interface AddressTemplate {
  /**
   * `{name}` matches one path segment without slashes, `{+name}` matches any text. At the end, `{?a,b}` matches parameters
   * of the query in any order, each optional, and `{&a,b}` does after a fixed part as in `?v=1{&a,b}`.
   */
  readonly uriTemplate: string
  /** Suggests values for the named variables. */
  readonly complete?: Readonly<Record<string, Completer>>
}

interface Services {
  /** The services that `read` and `watch` receive. */
  readonly services?: readonly string[]
  /** Called when a user subscribes. From then on changes made by others should be published too. */
  watch?(services: unknown, user: string): void | Promise<void>
}

interface TypedServices<S, K extends keyof S & string> {
  readonly services?: readonly K[]
  watch?(services: Pick<S, K>, user: string): void | Promise<void>
}

/** A resource with a fixed URI. */
export interface ResourceDefinition extends ResourceInfo, FixedAddress, Services {
  read(call: CallContext, services: unknown): ResourceContent | Promise<ResourceContent>
}

/** A family of resources whose URIs match a template. */
export interface ResourceTemplateDefinition extends ResourceInfo, AddressTemplate, Services {
  /** Returns undefined if there is no such resource. */
  read(
    variables: Variables,
    call: CallContext,
    services: unknown,
  ): ResourceContent | undefined | Promise<ResourceContent | undefined>
}

/** The values of the template's variables, without the parameters that the query of the URI lacks. */
type Variables = Readonly<Record<string, string>>

/** Text, bytes, or several parts, each with its own URI. */
export type ResourceContent = string | Uint8Array | readonly ResourcePart[]

/** One part of a resource: text, or bytes in base64. */
export type ResourcePart = Extract<ContentBlock, { type: 'resource' }>['resource']

interface TypedResource<S, K extends keyof S & string, Claims> extends ResourceInfo, FixedAddress, TypedServices<S, K> {
  read(call: CallContext<Claims>, services: Pick<S, K>): ReturnType<ResourceDefinition['read']>
}

interface TypedTemplate<S, K extends keyof S & string, Claims>
  extends ResourceInfo, AddressTemplate, TypedServices<S, K> {
  read(
    variables: Variables,
    call: CallContext<Claims>,
    services: Pick<S, K>,
  ): ReturnType<ResourceTemplateDefinition['read']>
}

/** `defineResource` for resources that use the services `S`, or read the `Claims` of the caller. */
export function defineResourceWith<S, Claims = JsonObject>() {
  return <const K extends keyof S & string = never>(definition: TypedResource<S, K, Claims>): ResourceDefinition =>
    definition
}

/** `defineTemplate` for templates that use the services `S`, or read the `Claims` of the caller. */
export function defineTemplateWith<S, Claims = JsonObject>() {
  return <const K extends keyof S & string = never>(
    definition: TypedTemplate<S, K, Claims>,
  ): ResourceTemplateDefinition => definition
}

/** Checks the types of a resource. */
export const defineResource = defineResourceWith<object>()
/** Checks the types of a resource template. */
export const defineTemplate = defineTemplateWith<object>()
