// Shared by the callback tests: SetCallback as a client calls it, and the delivered messages.

import { call, type Json, type TestClient, type ToolResult } from '../support/client.js'

/**
 * On a slow machine a callback of one second is due before the call that set it has its result: `text` does not contain
 * it, nor its last newline.
 */
export async function callback(client: TestClient, args: object): Promise<ToolResult> {
  const result = await call(client, 'SetCallback', args)
  return { ...result, text: String(result.content.at(-1)?.text).trimEnd() }
}

/** The first call opens the database, which takes seconds on a busy machine: a callback would be due before its result. */
export async function openCallbacks(client: TestClient): Promise<void> {
  await callback(client, { action: 'list' })
}

/** The log messages that were sent as well. */
export const logged = (client: TestClient): readonly string[] =>
  client.received
    .filter(({ method }: Json) => method === 'notifications/message')
    .map(({ params }: Json) => String(params.data))

/** Waits for the log message of a fired callback; it is sent when the message is pending. */
export const fired = (client: TestClient, text: string): Promise<Json> =>
  client.waitFor(({ method, params }) => method === 'notifications/message' && String(params.data).endsWith(text))

/** The pending messages in front of the next result of another tool; empty if there are none. */
export async function messageBeforeResult(client: TestClient, command = 'echo done'): Promise<string> {
  const { content } = await call(client, 'Bash', { command })
  return content.length > 1 ? content[0].text.trimEnd() : ''
}

/** All callbacks in front of results so far, after one more call. */
export async function callbacksDeliveredTo(client: TestClient): Promise<string> {
  await messageBeforeResult(client)
  const texts: readonly string[] = client.received.flatMap(({ result }: Json) =>
    (result?.content ?? []).map(({ text }: Json) => String(text).trimEnd()),
  )
  return texts.filter((text) => text.startsWith('[Callback ')).join('\n')
}
