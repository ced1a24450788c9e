// Lets commands ask for passwords through the client of a call that runs or reads them, if it can show the user an
// address. Used by the shell around such calls. Sends requests to the client.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { CommandSecrets } from './deferred-secrets.js'

export type AddressCall = Pick<CallContext, 'user' | 'session' | 'clientAbilities' | 'ask'>

export async function withClientAddress<T>(
  secrets: CommandSecrets | undefined,
  call: AddressCall,
  work: () => Promise<T>,
): Promise<T> {
  if (!secrets || !call.clientAbilities.url) return work()
  let count = 0
  const remove = await secrets.addClient(call, async (message, url, timeoutMs) => {
    const key = `password${++count}`
    // The command runs: it must not be started again with the answer.
    const answers = await call.ask({ [key]: { kind: 'url', message, url } }, { timeoutMs, whileRunning: true })
    return answers[key]?.action ?? 'cancel'
  })
  try {
    return await work()
  } finally {
    remove()
  }
}
