// Finds tokens of requests in the token file, which other processes change: its records are kept, and the file is
// checked for changes at most once a second. A small file is read at once, a large one without blocking the event loop,
// while requests wait for it. Created by token-file.ts. Reads files.

import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

import { errorMessage } from '@scorpiox/mcp/errors'
import { runInSlices } from '@scorpiox/server/async/sliced-work'
import { damagedFile, readTokenRecords, signatureOf, statTokenFile, toReadFailure } from './read-token-file.js'
import { type AuthTokenRecord, hashToken } from './token-record.js'
import { readTokenContent, type TokenContent } from './token-records.js'

const RECHECK_MS = 1000
const RECHECK_UNKNOWN_MS = 50
/** About 500 tokens, which take a few milliseconds. */
const MAX_READ_AT_ONCE = 128 * 1024

export type TokenLookupResult = AuthTokenRecord | undefined

export interface TokenCache {
  /** A promise while a large file is read. It never rejects. */
  find(token: string): TokenLookupResult | Promise<TokenLookupResult>
  /** Why all tokens are rejected. */
  problem(): string | undefined
  /** Checks the file now, whenever it was last checked. */
  refresh(): void
}

export function createTokenCache(path: string): TokenCache {
  let byHash: ReadonlyMap<string, AuthTokenRecord> = new Map()
  /** Of a large file. */
  let content: TokenContent | undefined
  let signature: string | undefined
  let problem: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  function accept(records: ReadonlyMap<string, AuthTokenRecord>, readSignature: string): void {
    byHash = records
    signature = readSignature
    problem = undefined
  }

  function rejectAll(error: unknown): void {
    byHash = new Map()
    content = undefined
    signature = undefined
    problem = errorMessage(error)
  }

  function refresh(): void {
    // A monotonic clock: setting the wall clock back must not delay a revocation.
    checkedAt = performance.now()
    // What is being read may be older than this request to check: checked again once it is read.
    if (reading) return void (checkedAt = Number.NEGATIVE_INFINITY)
    try {
      const stat = statTokenFile(path)
      const current = signatureOf(stat)
      if (current === signature) return
      if (stat && stat.size > MAX_READ_AT_ONCE) reading = readLarge().finally(() => (reading = undefined))
      else {
        content = undefined
        accept(new Map(readTokenRecords(path).map((record) => [record.hash, record])), current)
      }
    } catch (error) {
      rejectAll(error)
    }
  }

  async function readLarge(): Promise<void> {
    try {
      const { bytes, stat } = await readBytes(path)
      content = await runInSlices(readTokenContent(bytes, content))
      if (!content) throw damagedFile(path)
      accept(content.byHash, signatureOf(stat))
    } catch (error) {
      rejectAll(error)
    }
  }

  function check(digest: string): TokenLookupResult {
    const record = byHash.get(digest)
    return record?.expiresAt === undefined || Date.now() < Date.parse(record.expiresAt) ? record : undefined
  }

  return {
    refresh,
    find(token) {
      const sinceCheck = performance.now() - checkedAt
      if (sinceCheck >= RECHECK_MS) refresh()
      const digest = hashToken(token)
      if (digest === undefined) return undefined
      // An unknown token may have been created since the last check.
      if (!byHash.has(digest) && sinceCheck >= RECHECK_UNKNOWN_MS && sinceCheck < RECHECK_MS) refresh()
      return reading ? reading.then(() => check(digest)) : check(digest)
    },
    problem() {
      if (performance.now() - checkedAt >= RECHECK_MS) refresh()
      return problem
    },
  }
}

interface FileContent {
  readonly bytes: Buffer
  /** Of the file that was read, even if it was replaced meanwhile. */
  readonly stat: Stats
}

async function readBytes(path: string): Promise<FileContent> {
  try {
    // Windows renames nothing over an open file, and a change by this process would block the reading that it waits for.
    if (process.platform === 'win32') return readBytesSync(path)
    const file = await process.getBuiltinModule('node:fs').promises.open(path)
    try {
      const stat = await file.stat()
      return { bytes: await file.readFile(), stat }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toReadFailure(path, error)
  }
}

function readBytesSync(path: string): FileContent {
  const file = openSync(path, 'r')
  try {
    return { stat: fstatSync(file), bytes: readFileSync(file) }
  } finally {
    closeSync(file)
  }
}
