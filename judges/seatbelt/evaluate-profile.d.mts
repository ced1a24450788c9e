export interface ProfileSubject {
  readonly path?: string
  readonly isDirectory?: boolean
  /** The path of a Unix socket. */
  readonly socket?: string
  readonly address?: string
  /** Of a service. */
  readonly name?: string
  readonly target?: 'same-sandbox' | 'others'
  /** That the process has for the path. */
  readonly extension?: string
  /** The name of a fact about the system; empty if it has none. */
  readonly sysctl?: string
  /** Of a socket, such as `AF_UNIX`. */
  readonly domain?: string
  readonly protocol?: number
}

export interface ProfileOptions {
  /** Which of the matching rules decides; by default what macOS does. */
  readonly order?: 'specific first' | 'last'
}

export function parseProfile(
  profile: string,
  options?: ProfileOptions,
): (operation: string, subject?: ProfileSubject) => 'allow' | 'deny'

export function listAllowed(profile: string, operation: string): readonly string[]

export function listOperations(profile: string): ReadonlySet<string>
