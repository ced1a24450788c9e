// What a modern client carries between the rounds of one call, sealed: it can neither read nor change it. A seal is
// bound to the user and to the very call it was made for, ends after a while, and opens once.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

import { canonicalJson } from '../lib/canonical-json.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { INVALID_PARAMS, ProtocolError } from './protocol-error.js'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MAX_USED = 1_000_000

/** What a client may send differently when it makes the same call again. */
const CHANGES: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

/** The call a state belongs to: another user, method or argument makes another call. */
export interface Bond {
  readonly user: string
  readonly method: string
  readonly params: JsonObject
}

export interface RequestStates {
  seal(bond: Bond, content: JsonObject, lifeMs: number): string
  /** What is inside; throws a ProtocolError on anything that was not sealed here, for this call, and unused. */
  open(bond: Bond, state: unknown): JsonObject
}

export function createRequestStates(now: () => number = Date.now): RequestStates {
  // Of this process alone: a state that outlives its server has lost the one who keeps count of its uses.
  const key = randomBytes(32)
  const used = createUsed()

  return {
    seal(bond, content, lifeMs) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(digest(bond))
      const text = JSON.stringify({ ends: now() + lifeMs, content })
      return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },
    open(bond, state) {
      const bytes = readState(state)
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const { ends, content } = readSealed(decrypt(key, nonce, bytes, digest(bond)))
      if (ends <= now()) throw refused('it has expired')
      if (!used.add(nonce.toString('base64'), ends, now())) throw refused('it was used before')
      return content
    },
  }
}

function readState(state: unknown): Buffer {
  if (typeof state !== 'string') throw refused('it must be the string this server gave')
  const bytes = Buffer.from(state, 'base64url')
  // The decoder is lenient; only the one spelling we gave is ours.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== state) throw refused('it was changed')
  return bytes
}

function decrypt(key: Buffer, nonce: Buffer, bytes: Buffer, bond: Buffer): string {
  try {
    const tag = bytes.subarray(bytes.length - TAG_BYTES)
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bond).setAuthTag(tag)
    const body = bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString()
  } catch {
    throw refused('it was changed, or belongs to another call, another user or an earlier run of this server')
  }
}

function readSealed(text: string): { readonly ends: number; readonly content: JsonObject } {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || typeof value.ends !== 'number' || !isObject(value.content)) throw refused('it is not ours')
  return { ends: value.ends, content: value.content }
}

function digest({ user, method, params }: Bond): Buffer {
  const call = Object.fromEntries(Object.entries(params).filter(([name]) => !CHANGES.has(name)))
  return createHash('sha256')
    .update(canonicalJson([user, method, call]))
    .digest()
}

function refused(reason: string): ProtocolError {
  return new ProtocolError(
    INVALID_PARAMS,
    `Invalid params: 'requestState' is refused: ${reason}. Make the call again without it.`,
  )
}

/** Remembers what was used until it would have expired anyway. */
function createUsed() {
  const ends = new Map<string, number>()
  let nextSweep = 0
  return {
    add(nonce: string, end: number, now: number): boolean {
      if (now >= nextSweep) {
        nextSweep = now + 60_000
        for (const [old, itsEnd] of ends) if (itsEnd <= now) ends.delete(old)
      }
      // Forgetting one would let it be used again; so beyond this nothing new is taken for a while.
      if (ends.has(nonce) || ends.size >= MAX_USED) return false
      ends.set(nonce, end)
      return true
    },
  }
}
