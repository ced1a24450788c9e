// Seals request states with keys that several servers share, so that a state of one can be opened by another, and once
// only by all of them together. Keys, used nonces and the clock come from a RequestStateStore. Used by a program that
// has one (create-server.ts of the app). No I/O besides that store.

import { createRefusal, decodeState, decryptState, encryptState, type RequestStateSealer } from './request-state.js'

const KEY_ID_BYTES = 8

/** A key of 32 bytes; its id, 8 bytes in hexadecimal, is part of every state. */
export interface RequestStateKey {
  readonly id: string
  readonly key: Uint8Array
}

export interface RequestStateStore {
  /** The key for new states. */
  currentKey(): RequestStateKey | Promise<RequestStateKey>
  /** Undefined if it never existed or states with it have expired. */
  findKey(id: string): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** Records that a state of this user was used; resolves to false if it was before, on any server. */
  useNonce(user: string, nonce: string, expiresAt: number): Promise<boolean>
  /** Milliseconds since 1970, the same on all servers. */
  now(): number
}

export function createSharedRequestStateSealer(store: RequestStateStore): RequestStateSealer {
  return {
    async seal(binding, content, lifetimeMs) {
      const { id, key } = await store.currentKey()
      const sealed = encryptState(key, binding, { expiresAt: store.now() + lifetimeMs, content })
      return Buffer.concat([Buffer.from(id, 'hex'), sealed]).toString('base64url')
    },
    async open(binding, state) {
      const bytes = decodeState(state, KEY_ID_BYTES)
      const key = await store.findKey(Buffer.from(bytes.subarray(0, KEY_ID_BYTES)).toString('hex'))
      if (!key) throw createRefusal('it was changed, or is too old')
      const { nonce, expiresAt, content } = decryptState(key, binding, bytes.subarray(KEY_ID_BYTES))
      if (expiresAt <= store.now()) throw createRefusal('it has expired')
      if (!(await store.useNonce(binding.user, nonce, expiresAt))) throw createRefusal('it was used before')
      return content
    },
    clock: () => store.now(),
  }
}
