// Serves the feed to consoles in other processes: a socket in a private directory and its registry entry. A connection
// is closed if it is silent for 20 s, sends invalid data or does not read.

import { Failure } from '../../lib/failure.js'
import { listenLocally, type LineListener, type LineSocket, type LocalServer } from '../../platform/local-socket.js'
import { enterDesk, leaveDesk, lodge, renewDesk, tidyDesks } from '../../store/desk-entries.js'
import type { Desk, DeskVisit } from './desk.js'
import { readFromBoard, type FromBoard, type FromDesk } from './desk-news.js'
import { toWirePassage } from './output-passage.js'

/** Consoles send a heartbeat every 5 s. */
const SILENCE_MS = 20_000
const MAX_LINE = 64 * 1024
const RENEW_MS = 6 * 60 * 60 * 1000
/** Concurrent requests per console. */
const MAX_ASKED = 10

export interface DeskSocket {
  close(): Promise<void>
}

type Ask = FromBoard & { readonly kind: 'ask' }

/** Rejects if the socket cannot be opened, and leaves nothing behind. */
export async function openDeskSocket(desk: Desk, folder: string, silenceMs = SILENCE_MS): Promise<DeskSocket> {
  const address = lodge(folder, desk.id)
  const leave = (): void => leaveDesk(folder, desk.id, address)
  // Also if the process exits without closing it.
  process.once('exit', leave)
  const renew = (): void => renewDesk(folder, desk.id, address)
  let server: LocalServer | undefined
  let renewing: NodeJS.Timeout | undefined
  try {
    server = await listenLocally(address, { maxLine: MAX_LINE }, (socket) => attend(desk, socket, silenceMs))
    enterDesk(folder, desk.id, address)
    renewing = setInterval(() => quietly(renew), RENEW_MS).unref()
    await tidyDesks(folder)
    return { close }
  } catch (error) {
    await close()
    throw error
  }

  async function close(): Promise<void> {
    clearInterval(renewing)
    process.off('exit', leave)
    leave()
    await server?.close()
  }
}

/** The disk may be writable again later. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {}
}

function attend(desk: Desk, socket: LineSocket, silenceMs: number): LineListener {
  let visit: DeskVisit | undefined
  let asked = 0
  const silence = setTimeout(() => socket.close(), silenceMs).unref()
  const send = (message: FromDesk): void => socket.send(JSON.stringify(message))

  async function answer(order: Ask): Promise<void> {
    if (!visit) return
    const { id: to } = order
    try {
      if (asked++ >= MAX_ASKED) throw new Failure('Too much is asked of this server at once.')
      send({ kind: 'reply', to, ...(await carryOut(visit, order)) })
    } catch (error) {
      const failure = error instanceof Failure ? error.message : 'The server could not do it.'
      send({ kind: 'reply', to, failure })
    } finally {
      asked--
    }
  }

  return {
    line(text) {
      const message = readFromBoard(text)
      if (!message) return socket.close()
      silence.refresh()
      if (message.kind === 'presence') {
        visit ??= desk.visit(message.user, (news) => send({ kind: 'news', news }))
        visit.watching(message.watching)
      }
      if (message.kind === 'stirred') visit?.stirred()
      if (message.kind === 'ask') void answer(message)
    },
    closed() {
      clearTimeout(silence)
      visit?.leave()
    },
  }
}

async function carryOut(visit: DeskVisit, order: Ask): Promise<Pick<FromDesk & { kind: 'reply' }, 'passage'>> {
  if (order.verb === 'output')
    return { passage: toWirePassage(await visit.output(order.job, order.from, order.maxBytes)) }
  await visit.kill(order.job)
  return {}
}
