// Asks a user for a password by an address that their client shows: a form on this machine, or the console. Used by
// secret-service. Sends a request to the client; may open a port (secret-page).

import type { AddressPage, ShowAddress } from './deferred-secrets.js'
import type { SecretForm, SecretPages } from './secret-page.js'

interface AddressOptions {
  readonly show: ShowAddress
  readonly waitMs: number
  readonly addressPage: AddressPage
  readonly localPages: () => SecretPages
  /** Resolves when the question is no longer open. */
  readonly settled: Promise<unknown>
}

/** `opened`: the user agreed, and answers on the page. `failed`: the client cannot ask, or its call is over. */
type AddressOutcome = 'opened' | 'declined' | 'failed'

export async function askByAddress(form: SecretForm, options: AddressOptions): Promise<AddressOutcome> {
  const { show, waitMs, addressPage, localPages, settled } = options
  if (addressPage === 'none') return 'failed'
  try {
    const page = addressPage === 'local' ? await localPages().add(form) : undefined
    void settled.then(page?.remove)
    const url = addressPage === 'local' ? page?.url : addressPage.consoleUrl
    const action = await show(describeQuestion(form), url ?? '', waitMs)
    return action === 'accept' ? 'opened' : 'declined'
  } catch {
    return 'failed'
  }
}

function describeQuestion({ command, prompt, isSecret }: SecretForm): string {
  const what = isSecret ? 'a password' : 'an input'
  return `A running command asks for ${what}. Enter it on this page; the model does not see it.\n${command}\n${prompt}`
}
