// The options of servers that are mounted by another, over stdio or HTTP. Those of a server in the same process are in
// serve-options.ts. Types only.

import type { Caller } from '../definitions/caller.js'

/** What every mounted server has. */
interface MountBase {
  /**
   * Put before the names of its tools and prompts, as in `git_status`, and before its URIs, as in `git+file:///a`.
   * Letters, digits and hyphens, beginning with a letter.
   */
  readonly prefix: string
}

/** Limits of a server outside of this process. */
interface MountLimits {
  /** How long it may take to start. Default: one minute. */
  readonly startTimeoutMs?: number
  /** How long a call may take without progress, not counting questions to a person. Default: five minutes. */
  readonly timeoutMs?: number
  /** Maximum size of a message. Default: 16 MiB. */
  readonly maxBytes?: number
}

/** A server that is started as a program and speaks over its stdin and stdout. All users share it. */
export interface ProgramMount extends MountBase, MountLimits {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to PATH, HOME and a few more; the rest of this process's environment is not passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that is reached over HTTP. */
export interface HttpMount extends MountBase, MountLimits {
  readonly url: string
  /** Sent with every request. A function gives each user a connection of their own. */
  readonly headers?: MountHeaders
}

/** Headers, or a function that is called before each request; without a caller for the request that reads the lists. */
export type MountHeaders =
  | Readonly<Record<string, string>>
  | ((caller: Caller | undefined) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
