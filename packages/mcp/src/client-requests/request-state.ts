// Seals the state that a modern client carries between the rounds of one call: encrypted, so that the client can
// neither read nor change it. A sealed state is bound to the user and the call, expires, and can be used once. Key and
// used nonces are in memory here; shared-request-state.ts has those of several servers. Loaded by mcp-server.ts.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

import { INVALID_PARAMS, ProtocolError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MAX_NONCES = 1_000_000

/** Parameters that may differ when a client repeats a call. */
const MUTABLE_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

/** The call a state belongs to. Another user, method or argument is another call. */
export interface RequestBinding {
  readonly user: string
  readonly method: string
  readonly params: JsonObject
}

export interface RequestStateSealer {
  seal(binding: RequestBinding, content: JsonObject, lifetimeMs: number): string | Promise<string>
  /** Decrypts a state. Throws a ProtocolError unless it was sealed here, for this call, and is unused. */
  open(binding: RequestBinding, state: unknown): JsonObject | Promise<JsonObject>
  /** Milliseconds, comparable between every process that can open the states of this one. */
  clock(): number
}

export interface LocalRequestStateSealer extends RequestStateSealer {
  seal(binding: RequestBinding, content: JsonObject, lifetimeMs: number): string
  open(binding: RequestBinding, state: unknown): JsonObject
}

export function createRequestStateSealer(now: () => number = Date.now): LocalRequestStateSealer {
  // The key exists only in this process: after a restart the list of used nonces is gone, so old states must be
  // invalid.
  const key = randomBytes(32)
  const usedNonces = createNonceLog()

  return {
    seal: (binding, content, lifetimeMs) =>
      Buffer.from(encryptState(key, binding, { expiresAt: now() + lifetimeMs, content })).toString('base64url'),
    open(binding, state) {
      const { nonce, expiresAt, content } = decryptState(key, binding, decodeState(state))
      if (expiresAt <= now()) throw createRefusal('it has expired')
      if (!usedNonces.add(nonce, expiresAt, now())) throw createRefusal('it was used before')
      return content
    },
    // A state is sealed and opened by the same process, so its monotonic clock is valid.
    clock: () => performance.now(),
  }
}

interface StateContent {
  readonly expiresAt: number
  readonly content: JsonObject
}

/** Returns the nonce, the encrypted content and the tag. No types of Node.js, because the library's types name them. */
export function encryptState(
  key: Uint8Array,
  binding: RequestBinding,
  { expiresAt, content }: StateContent,
): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(digestBinding(binding))
  const text = JSON.stringify({ ends: expiresAt, content })
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** Decodes a state of at least this size, besides nonce and tag. */
export function decodeState(state: unknown, minBytes = 0): Uint8Array {
  if (typeof state !== 'string') throw createRefusal('it must be the string this server gave')
  const bytes = Buffer.from(state, 'base64url')
  // The decoder is lenient: only the exact encoding issued here is accepted.
  if (bytes.length < minBytes + NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== state)
    throw createRefusal('it was changed')
  return bytes
}

export function decryptState(
  key: Uint8Array,
  binding: RequestBinding,
  bytes: Uint8Array,
): StateContent & { readonly nonce: string } {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const text = decrypt(key, nonce, bytes, digestBinding(binding))
  return { nonce: Buffer.from(nonce).toString('base64'), ...parseSealed(text) }
}

function decrypt(key: Uint8Array, nonce: Uint8Array, bytes: Uint8Array, binding: Uint8Array): string {
  try {
    const tag = bytes.subarray(bytes.length - TAG_BYTES)
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(binding)
      .setAuthTag(tag)
    const body = bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString()
  } catch {
    throw createRefusal('it was changed, or belongs to another call, another user or an earlier run of this server')
  }
}

function parseSealed(text: string): StateContent {
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value) || typeof value.ends !== 'number' || !isJsonObject(value.content))
    throw createRefusal('it is not ours')
  return { expiresAt: value.ends, content: value.content }
}

function digestBinding({ user, method, params }: RequestBinding): Buffer {
  const call = Object.fromEntries(Object.entries(params).filter(([name]) => !MUTABLE_PARAMS.has(name)))
  return createHash('sha256')
    .update(canonicalJson([user, method, call]))
    .digest()
}

export function createRefusal(reason: string): ProtocolError {
  return new ProtocolError(
    INVALID_PARAMS,
    `Invalid params: 'requestState' is refused: ${reason}. Make the call again without it.`,
  )
}

/** Remembers used nonces until they expire. */
function createNonceLog() {
  const expiresAt = new Map<string, number>()
  let nextSweep = 0
  return {
    add(nonce: string, expiry: number, now: number): boolean {
      if (now >= nextSweep) {
        nextSweep = now + 60_000
        for (const [oldNonce, oldExpiry] of expiresAt) if (oldExpiry <= now) expiresAt.delete(oldNonce)
      }
      // Dropping a nonce would allow reuse, so no new state is accepted while the log is full.
      if (expiresAt.has(nonce) || expiresAt.size >= MAX_NONCES) return false
      expiresAt.set(nonce, expiry)
      return true
    },
  }
}

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (isJsonObject(member) ? sortKeys(member) : member)) ?? 'null'
}

function sortKeys(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
