// The active callbacks and pending messages of a session as a resource.

import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import type { CallbackService } from './callback-service.js'

export const CALLBACKS_URI = 'scorpiox://callbacks'

export const callbackResource = defineResourceWith<{ callbacks: CallbackService }>()({
  uri: CALLBACKS_URI,
  name: 'callbacks',
  description: 'Your active callbacks and pending messages.',
  mimeType: 'text/plain',
  services: ['callbacks'],
  watch: ({ callbacks }, user) => callbacks.watch(user),
  async read({ user, session }, { callbacks }) {
    const { formatCallbackList } = await import('./set-callback-handler.js')
    const caller = { user, session }
    const active = formatCallbackList(await callbacks.list(caller))
    const pending = await callbacks.listPending(caller)
    if (pending.length === 0) return active
    return [active, '', `Pending messages (${pending.length}):`, ...pending.map(({ text }) => `  ${text}`)].join('\n')
  },
})
