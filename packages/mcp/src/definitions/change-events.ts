// Publish/subscribe of changes: services and calls publish; sessions, which forward events to their clients, mcp-server
// and the server feed of the console subscribe. An event about one user's data carries that user and is sent only to
// that user's sessions. Created once for each server, by services.ts of the app or by the library. In memory only.

/** A change of a list, a resource or a task handle; or a message for one session. */
export type ChangeEvent =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string; readonly user: string | undefined }
  | PushMessage
  | { readonly kind: 'task'; readonly id: string; readonly user: string; readonly params: string }

/** A message for the model of one session, delivered if its client supports pushed messages. */
export interface PushMessage {
  readonly kind: 'message'
  readonly user: string
  readonly session: string
  readonly content: string
  readonly meta: Readonly<Record<string, string>>
  /** Called before the message is pushed. Returns false if it is being delivered another way. */
  readonly claim: () => boolean
  /** Called when the message has been written to the client. */
  readonly onWritten: () => void
}

export type ChangeListener = (event: ChangeEvent) => void

/** Publishes changes to all subscribed sessions. */
export interface ChangeEvents {
  /** Publishes that a list has changed. */
  notifyListChanged(list: 'tools' | 'resources' | 'prompts'): void
  /** Publishes that a resource has changed, to the sessions of one user, or of all users. */
  notifyResourceUpdated(uri: string, user?: string): void
  publish(event: ChangeEvent): void
  /** Returns a function that ends the subscription. Listeners are called in order of subscription. */
  subscribe(listener: ChangeListener): () => void
}

/** Creates the event bus. Code outside of calls and services uses it to publish changes; pass it to the server. */
export function createChangeEvents(): ChangeEvents {
  const listeners = new Set<ChangeListener>()
  const publish = (event: ChangeEvent): void => {
    for (const listener of listeners) listener(event)
  }
  return {
    publish,
    notifyListChanged: (kind) => publish({ kind }),
    notifyResourceUpdated: (uri, user) => publish({ kind: 'resource', uri, user }),
    subscribe(listener) {
      // Wrapped, so that subscribing the same function twice makes two subscriptions.
      const wrapper: ChangeListener = (event) => listener(event)
      listeners.add(wrapper)
      return () => void listeners.delete(wrapper)
    },
  }
}
