// Creates the consoles of this process from the settings.

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { projectOf } from '../../platform/project.js'
import { desksIn } from '../../store/desk-entries.js'
import type { LazyState } from '../state.js'
import type { Desk } from './desk.js'
import { shareBoards, type Boards } from './shared-boards.js'

export interface BoardsSurroundings {
  readonly config: Config
  readonly state: LazyState
  /** Undefined if this process serves no clients. */
  readonly own: Desk | undefined
}

export function openBoards({ config, state, own }: BoardsSurroundings): Boards {
  const { settings, cwd } = config
  return shareBoards({ own, state, folder: desksIn(stateDirOf(settings)), project: projectOf(cwd) })
}
