// The processes that decode: two at most, kept warm between images that follow each other, ended when one takes too
// long, when nobody waits for its image any more, and when it has grown.

import { Failure } from '../../lib/failure.js'
import { createTurns } from '../../lib/turns.js'
import { startFork, type Exit, type Fork } from '../../platform/process.js'
import { allowanceFor } from './limits.js'
import { isReply, type Order, type Reply } from './picture.js'

const MOST = 2
const IDLE_MS = 60_000
/** One that still holds so much after its work starts anew. */
const GROWN_BYTES = 160 * 1024 * 1024

export interface Darkrooms {
  /** Throws a Failure whose message says of the file why it is not shown. */
  develop(order: Order, signal: AbortSignal): Promise<Reply>
  close(): void
}

interface Darkroom {
  readonly fork: Fork
  /** What to do with what it says, and with its end. */
  listener?: { heard(message: unknown): void; ended(exit: Exit): void } | undefined
  idle?: NodeJS.Timeout
}

export function createDarkrooms(script: string, env: NodeJS.ProcessEnv): Darkrooms {
  const rooms = new Set<Darkroom>()
  const free: Darkroom[] = []
  const turns = createTurns(MOST)

  function end(room: Darkroom): void {
    clearTimeout(room.idle)
    rooms.delete(room)
    if (free.includes(room)) free.splice(free.indexOf(room), 1)
    room.fork.kill()
  }

  async function open(): Promise<Darkroom> {
    const room: { fork?: Fork } & Omit<Darkroom, 'fork'> = {}
    const fork = await startFork(script, env, (message) => room.listener?.heard(message)).catch(() => undefined)
    if (!fork) throw new Failure('cannot be decoded now: the system lets no further program be started')
    const opened = Object.assign(room, { fork })
    rooms.add(opened)
    void fork.exited.then((exit) => {
      end(opened)
      opened.listener?.ended(exit)
    })
    return opened
  }

  function rest(room: Darkroom): void {
    free.push(room)
    room.idle = setTimeout(() => end(room), IDLE_MS)
    room.idle.unref()
  }

  async function use(order: Order, signal: AbortSignal): Promise<Reply> {
    const room = free.pop() ?? (await open())
    clearTimeout(room.idle)
    try {
      const reply = await ask(room, order, signal)
      // A package that is missing now may be there the next time.
      if ('missing' in reply || reply.residentBytes > GROWN_BYTES) end(room)
      else rest(room)
      return reply
    } catch (error) {
      end(room)
      throw error
    }
  }

  return {
    async develop(order, signal) {
      const giveBack = await turns.take(signal)
      if (giveBack === undefined) throw signal.reason
      try {
        return await use(order, signal)
      } finally {
        giveBack()
      }
    },
    close() {
      for (const room of rooms) end(room)
    },
  }
}

function ask(room: Darkroom, order: Order, signal: AbortSignal): Promise<Reply> {
  return new Promise<Reply>((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    const { ms } = allowanceFor(order.format)
    const timer = setTimeout(() => {
      reject(new Failure(`takes longer than ${ms / 1000} s to decode; make a smaller or simpler copy of it`))
    }, ms)
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      room.listener = undefined
      act()
    }
    room.listener = {
      heard: (message) => settle(() => (isReply(message) ? resolve(message) : reject(new Error('no reply')))),
      ended: (exit) => settle(() => reject(new Failure(whyEnded(exit)))),
    }
    signal.addEventListener('abort', stop, { once: true })
    room.fork.tell(order)
  })
}

function whyEnded({ signal }: Exit): string {
  return signal === 'SIGTERM'
    ? 'takes more memory to decode than it may; make a smaller copy of it'
    : 'made its decoder break down: the file is damaged, or made to do harm'
}
