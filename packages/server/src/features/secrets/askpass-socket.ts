// The socket beside an askpass program, over which it sends its question and gets the answer: one question, in one
// line, for each connection, with the key of a running command. Commands in a sandbox may use no Unix socket; they get
// a loopback port, if they have a network. Opened by secret-service. Opens sockets, writes two files, and closes silent
// connections on a timer.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import {
  type LineListener,
  type LineSocket,
  listenOnLocalSocket,
  listenOnLoopback,
} from '../../process/local-socket.js'
import ASK_USER from './ask-user.cjs?raw'

const MAX_LINE = 16 * 1024
/** A connection that does not ask by then is closed. */
const SILENCE_MS = 5000

export interface AskpassSocket {
  close(): Promise<void>
}

export type AskReply =
  | { readonly kind: 'answered'; readonly value: string }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'no-user' }

/** The user is asked. */
export interface OpenAsk {
  /** Says so, for stderr. */
  readonly note: string
  readonly reply: Promise<AskReply>
}

/** The signal is aborted when the program no longer waits. */
type Ask = (key: string, prompt: string, signal: AbortSignal) => AskReply | OpenAsk

export async function openAskpassSocket(folder: string, ask: Ask): Promise<AskpassSocket> {
  const serve = (socket: LineSocket): LineListener => serveQuestion(socket, ask)
  const options = { maxLineLength: MAX_LINE }
  writeFileSync(join(folder, 'ask-user.cjs'), ASK_USER, { mode: 0o600 })
  const loopback = await listenOnLoopback(options, serve)
  writeFileSync(join(folder, 'port'), String(loopback.port), { mode: 0o600 })
  // Last: the program asks as soon as the socket is there.
  const local = await listenOnLocalSocket(join(folder, 'socket'), options, serve)
  return { close: async () => void (await Promise.all([local.close(), loopback.close()])) }
}

function serveQuestion(socket: LineSocket, ask: Ask): LineListener {
  const closed = new AbortController()
  const silenceTimer = setTimeout(() => socket.close(), SILENCE_MS).unref()
  const send = (message: object): void => socket.send(JSON.stringify(message))
  let hasAsked = false

  async function handle(key: string, prompt: string): Promise<void> {
    const answering = ask(key, prompt, closed.signal)
    if ('note' in answering) send({ asking: answering.note })
    const reply = 'note' in answering ? await answering.reply : answering
    if (reply.kind === 'answered') send({ value: reply.value })
    else send(reply.kind === 'refused' ? { refusal: reply.sentence } : {})
    socket.close()
  }

  return {
    onLine(text) {
      const message = tryParseJson(text)
      const { key, prompt } = isJsonObject(message) ? message : {}
      clearTimeout(silenceTimer)
      if (typeof key !== 'string' || typeof prompt !== 'string' || hasAsked) return socket.close()
      hasAsked = true
      void handle(key, prompt)
    },
    onClose() {
      clearTimeout(silenceTimer)
      closed.abort()
    },
  }
}
