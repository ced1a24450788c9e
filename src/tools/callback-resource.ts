import type { Callbacks } from '../services/callbacks/callbacks.js'
import { CALLBACKS_URI } from '../services/callbacks/uri.js'
import { resourcesOver } from './resource.js'

export const callbackList = resourcesOver<{ callbacks: Callbacks }>()({
  uri: CALLBACKS_URI,
  name: 'callbacks',
  description: 'Your active callbacks, and the messages that have come and wait to be told.',
  mimeType: 'text/plain',
  needs: ['callbacks'],
  watch: ({ callbacks }, user) => callbacks.watch(user),
  async read({ user, session }, { callbacks }) {
    const { listWords } = await import('./words/callback.js')
    const caller = { user, session }
    const active = listWords(await callbacks.list(caller))
    const pending = await callbacks.waiting(caller)
    if (pending.length === 0) return active
    return [active, '', `Pending messages (${pending.length}):`, ...pending.map(({ text }) => `  ${text}`)].join('\n')
  },
})
