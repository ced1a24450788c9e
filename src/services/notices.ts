// Publish/subscribe of changes: services and calls publish, sessions forward the events to their clients. An event
// about one user's data carries that user and is sent only to that user's sessions.

/** A change of a list, a resource or a task handle; or a message for one session. */
export type Notice =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string; readonly user: string | undefined }
  | PushedMessage
  | { readonly kind: 'task'; readonly id: string; readonly user: string; readonly params: string }

/** A message for the model of one session, delivered if its client supports pushed messages. */
export interface PushedMessage {
  readonly kind: 'message'
  readonly user: string
  readonly session: string
  readonly content: string
  readonly meta: Readonly<Record<string, string>>
  /** Called before the message is pushed. Returns false if it is being delivered another way. */
  readonly mayLeave: () => boolean
  /** Called when the message has been written to the client. */
  readonly taken: () => void
}

export type Listener = (event: Notice) => void

/** Publishes changes to all subscribed sessions. */
export interface Notices {
  /** Publishes that a list has changed. */
  changed(list: 'tools' | 'resources' | 'prompts'): void
  /** Publishes that a resource has changed, to the sessions of one user, or of all users. */
  updated(uri: string, user?: string): void
  publish(event: Notice): void
  /** Returns a function that ends the subscription. Listeners are called in order of subscription. */
  listen(listener: Listener): () => void
}

/** Creates the event bus. Code outside of calls and services uses it to publish changes; pass it to the server. */
export function createNotices(): Notices {
  const listeners = new Set<Listener>()
  const publish = (event: Notice): void => {
    for (const listener of listeners) listener(event)
  }
  return {
    publish,
    changed: (kind) => publish({ kind }),
    updated: (uri, user) => publish({ kind: 'resource', uri, user }),
    listen(listener) {
      // Wrapped, so that subscribing the same function twice makes two subscriptions.
      const wrapper: Listener = (event) => listener(event)
      listeners.add(wrapper)
      return () => void listeners.delete(wrapper)
    },
  }
}
