// The consoles of a process, one per user, shared by all windows of that user.

import type { Board } from './board.js'
import { createBoard, type BoardSettings } from './create-board.js'

export interface Boards {
  /** `isLocal`: the user of this machine, who may see its other servers too. */
  of(user: string, isLocal: boolean): Board
  close(): Promise<void>
}

export function shareBoards({ folder, ...settings }: Omit<BoardSettings, 'user' | 'onIdle'>): Boards {
  const boards = new Map<string, Board>()
  return {
    of(user, isLocal) {
      const key = JSON.stringify([user, isLocal])
      const known = boards.get(key)
      if (known) return known
      const onIdle = (): void => void boards.delete(key)
      const board = createBoard({ ...settings, user, folder: isLocal ? folder : undefined, onIdle })
      boards.set(key, board)
      return board
    },
    async close() {
      await Promise.all(Array.from(boards.values(), (board) => board.close()))
      await settings.state.close()
    },
  }
}
