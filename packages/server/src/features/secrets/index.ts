// What other code may use of the feature `secrets`: types, the offer of a client, and a function that loads the rest.
// Imported by services.ts of the app, the shell and the console. No effects of its own.

export type { AddressPage, CommandSecrets, DeferredSecrets } from './deferred-secrets.js'

export { type AddressCall, withClientAddress } from './client-address.js'

export const loadSecrets = () => import('./deferred-secrets.js')
