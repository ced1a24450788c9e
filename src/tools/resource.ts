// What a client may read by URI: one thing with a fixed address, or a family of them under a template.

import type { Block } from './tool.js'
import type { Call } from './call.js'
import type { Complete } from './prompt.js'

interface Face {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType?: string
  /** The services `read` receives. */
  readonly needs?: readonly string[]
}

export interface Resource extends Face {
  readonly uri: string
  readonly size?: number
  read(services: unknown, call: Call): Content | Promise<Content>
  /** This user has subscribed: from now on changes are to be noticed that nobody makes by way of this server. */
  watch?(services: unknown, user: string): Promise<unknown>
}

export interface ResourceTemplate extends Face {
  /** `{name}` stands for one part without slashes, `{+name}` for any part. */
  readonly uriTemplate: string
  /** Suggests values for the named variables. */
  readonly complete?: Readonly<Record<string, Complete>>
  /** undefined: there is no such resource. */
  read(
    variables: Readonly<Record<string, string>>,
    services: unknown,
    call: Call,
  ): Content | undefined | Promise<Content | undefined>
}

/** Text, bytes, or several parts with addresses of their own. */
export type Content = string | Uint8Array | readonly ResourcePart[]

export type ResourcePart = Extract<Block, { type: 'resource' }>['resource']

type Definition<T extends Face, S, K extends keyof S & string> = Omit<T, 'needs' | 'read' | 'watch'> & {
  readonly needs?: readonly K[]
} & (T extends Resource
    ? {
        read(services: Pick<S, K>, call: Call): ReturnType<Resource['read']>
        watch?(services: Pick<S, K>, user: string): Promise<unknown>
      }
    : {
        read(
          variables: Readonly<Record<string, string>>,
          services: Pick<S, K>,
          call: Call,
        ): ReturnType<ResourceTemplate['read']>
      })

/** `defineResource` for resources over the services `S`. */
export function resourcesOver<S>() {
  return <const K extends keyof S & string = never>(definition: Definition<Resource, S, K>): Resource => definition
}

export function templatesOver<S>() {
  return <const K extends keyof S & string = never>(definition: Definition<ResourceTemplate, S, K>): ResourceTemplate =>
    definition
}

export const defineResource = resourcesOver<object>()
export const defineTemplate = templatesOver<object>()
