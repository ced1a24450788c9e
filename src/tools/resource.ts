// What a client may read by URI: one thing with a fixed address, or a family of them under a template.

import type { Block } from './tool.js'
import type { Call } from './call.js'
import type { Complete } from './prompt.js'

interface Face {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** The services `read` and `watch` receive. */
  readonly needs?: readonly string[]
  /** Called when a user subscribes: from now on changes that others make should be told too. */
  watch?(services: unknown, user: string): void | Promise<void>
}

/** What a client can read at one address. */
export interface Resource extends Face {
  readonly uri: string
  readonly size?: number
  read(call: Call, services: unknown): Content | Promise<Content>
}

/** What a client can read at any address of a form. */
export interface ResourceTemplate extends Face {
  /** `{name}` stands for one part without slashes, `{+name}` for any part. */
  readonly uriTemplate: string
  /** Suggests values for the named variables. */
  readonly complete?: Readonly<Record<string, Complete>>
  /** undefined: there is no such resource. */
  read(
    variables: Readonly<Record<string, string>>,
    call: Call,
    services: unknown,
  ): Content | undefined | Promise<Content | undefined>
}

/** Text, bytes, or several parts with addresses of their own. */
export type Content = string | Uint8Array | readonly ResourcePart[]

/** One part of what is read: text, or bytes in base64. */
export type ResourcePart = Extract<Block, { type: 'resource' }>['resource']

type Definition<T extends Face, S, K extends keyof S & string> = Omit<T, 'needs' | 'read' | 'watch'> & {
  readonly needs?: readonly K[]
  watch?(services: Pick<S, K>, user: string): void | Promise<void>
} & (T extends Resource
    ? { read(call: Call, services: Pick<S, K>): ReturnType<Resource['read']> }
    : {
        read(
          variables: Readonly<Record<string, string>>,
          call: Call,
          services: Pick<S, K>,
        ): ReturnType<ResourceTemplate['read']>
      })

/** `defineResource` for resources over the services `S`. */
export function resourcesOver<S>() {
  return <const K extends keyof S & string = never>(definition: Definition<Resource, S, K>): Resource => definition
}

/** `defineTemplate` for templates over the services `S`. */
export function templatesOver<S>() {
  return <const K extends keyof S & string = never>(definition: Definition<ResourceTemplate, S, K>): ResourceTemplate =>
    definition
}

/** Checks the types of a resource: one address, and what is read there. */
export const defineResource = resourcesOver<object>()
/** Checks the types of a template: a family of addresses, and what is read at each. */
export const defineTemplate = templatesOver<object>()
