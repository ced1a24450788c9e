// Waits until each server has sent what the console shows of it. Used by user-console.ts. Sets timers.

import { setTimeout as sleep } from 'node:timers/promises'

import type { ConsoleSocketEntry } from './console-socket-registry.js'
import type { FeedConnections } from './feed-connections.js'

const CHECK_EVERY_MS = 20

/** Returns a sentence for each server that has not sent its state within the limit. */
export async function waitForFeeds(feeds: FeedConnections, limitMs: number): Promise<readonly string[]> {
  const end = Date.now() + limitMs
  await Promise.race([feeds.ready, sleep(limitMs, undefined, { ref: false })])
  while (feeds.listSilent().length > 0 && Date.now() < end) await sleep(CHECK_EVERY_MS)
  return feeds.listSilent().map((entry) => describeSilentServer(entry, limitMs))
}

function describeSilentServer({ owner: { pid } }: ConsoleSocketEntry, limitMs: number): string {
  return `The server with process ${pid} did not answer within ${limitMs / 1000} s. What it runs and asks is missing here.`
}
