// Declaration of resources: one resource with a fixed URI, or a family of resources under a URI template.

import type { Block } from './tool.js'
import type { Call } from './call.js'
import type { Complete } from './prompt.js'

interface ResourceInfo {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

interface FixedAddress {
  readonly uri: string
  readonly size?: number
}

interface AddressTemplate {
  /** `{name}` matches one path segment without slashes, `{+name}` matches any text. */
  readonly uriTemplate: string
  /** Suggests values for the named variables. */
  readonly complete?: Readonly<Record<string, Complete>>
}

interface Services {
  /** The services that `read` and `watch` receive. */
  readonly needs?: readonly string[]
  /** Called when a user subscribes. From then on changes made by others should be published too. */
  watch?(services: unknown, user: string): void | Promise<void>
}

interface TypedServices<S, K extends keyof S & string> {
  readonly needs?: readonly K[]
  watch?(services: Pick<S, K>, user: string): void | Promise<void>
}

/** A resource with a fixed URI. */
export interface Resource extends ResourceInfo, FixedAddress, Services {
  read(call: Call, services: unknown): Content | Promise<Content>
}

/** A family of resources whose URIs match a template. */
export interface ResourceTemplate extends ResourceInfo, AddressTemplate, Services {
  /** Returns undefined if there is no such resource. */
  read(variables: Variables, call: Call, services: unknown): Content | undefined | Promise<Content | undefined>
}

/** The values of the template's variables. */
type Variables = Readonly<Record<string, string>>

/** Text, bytes, or several parts, each with its own URI. */
export type Content = string | Uint8Array | readonly ResourcePart[]

/** One part of a resource: text, or bytes in base64. */
export type ResourcePart = Extract<Block, { type: 'resource' }>['resource']

interface TypedResource<S, K extends keyof S & string> extends ResourceInfo, FixedAddress, TypedServices<S, K> {
  read(call: Call, services: Pick<S, K>): ReturnType<Resource['read']>
}

interface TypedTemplate<S, K extends keyof S & string> extends ResourceInfo, AddressTemplate, TypedServices<S, K> {
  read(variables: Variables, call: Call, services: Pick<S, K>): ReturnType<ResourceTemplate['read']>
}

/** `defineResource` for resources that use the services `S`. */
export function resourcesOver<S>() {
  return <const K extends keyof S & string = never>(definition: TypedResource<S, K>): Resource => definition
}

/** `defineTemplate` for templates that use the services `S`. */
export function templatesOver<S>() {
  return <const K extends keyof S & string = never>(definition: TypedTemplate<S, K>): ResourceTemplate => definition
}

/** Checks the types of a resource. */
export const defineResource = resourcesOver<object>()
/** Checks the types of a resource template. */
export const defineTemplate = templatesOver<object>()
