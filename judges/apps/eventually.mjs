// Waits until an assertion holds. Used by the judge of views.

import { setTimeout as sleep } from 'node:timers/promises'

export async function eventually(holds, limitMs = 10_000) {
  const endsAt = Date.now() + limitMs
  for (;;) {
    try {
      return await holds()
    } catch (error) {
      if (Date.now() > endsAt) throw error
      await sleep(50)
    }
  }
}
