// What changed, told to whoever listens: services and calls publish, sessions pass it on to their clients.
// A notice about one user's things carries that user, and nobody else's session may show it.

/** Something that changed: a list, a resource, a deferred call; or a message for one session. */
export type Notice =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string; readonly user: string | undefined }
  | PushedMessage
  | { readonly kind: 'task'; readonly id: string; readonly user: string; readonly params: string }

/** Something for the model of one session, where its client takes that. */
export interface PushedMessage {
  readonly kind: 'message'
  readonly user: string
  readonly session: string
  readonly content: string
  readonly meta: Readonly<Record<string, string>>
  /** Asked before it is pushed to a client that shows it to its model; false: it is told in another way just now. */
  readonly mayLeave: () => boolean
  /** Called when it has been written there. */
  readonly taken: () => void
}

export type Listener = (notice: Notice) => void

/** The way by which changes are told to every client that wants to know. */
export interface Notices {
  /** Says that a list has changed. */
  changed(list: 'tools' | 'resources' | 'prompts'): void
  /** Says that a resource has changed, to the sessions of one user, or of all. */
  updated(uri: string, user?: string): void
  publish(notice: Notice): void
  /** Returns the way out. Listeners hear in the order they came. */
  listen(listener: Listener): () => void
}

/** For whoever is neither a call nor a service and has changes to tell; give it to the server as `notices`. */
export function createNotices(): Notices {
  const listeners = new Set<Listener>()
  const publish = (notice: Notice): void => {
    for (const listener of listeners) listener(notice)
  }
  return {
    publish,
    changed: (kind) => publish({ kind }),
    updated: (uri, user) => publish({ kind: 'resource', uri, user }),
    listen(listener) {
      // Wrapped, so that whoever listens twice also leaves twice.
      const own: Listener = (notice) => listener(notice)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}
