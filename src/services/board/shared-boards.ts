// The consoles of a process, one per user, shared by all windows of that user.

import type { Board } from './board.js'
import { createBoard, type BoardSettings } from './create-board.js'

export interface Boards {
  /** `isLocal`: the user of this machine, who may see its other servers too. */
  of(user: string, isLocal: boolean): Board
  close(): Promise<void>
}

export function shareBoards({ folder, ...settings }: Omit<BoardSettings, 'user' | 'onIdle'>): Boards {
  const consoles = new Map<string, Board>()
  return {
    of(user, isLocal) {
      const key = JSON.stringify([user, isLocal])
      const known = consoles.get(key)
      if (known) return known
      const onIdle = (): void => void consoles.delete(key)
      const userConsole = createBoard({ ...settings, user, folder: isLocal ? folder : undefined, onIdle })
      consoles.set(key, userConsole)
      return userConsole
    },
    async close() {
      await Promise.all(Array.from(consoles.values(), (userConsole) => userConsole.close()))
      await settings.state.close()
    },
  }
}
