// Puts the index of scripts together from the settings. Scripts are asked in the name of the person whose folder it is.

import { Failure } from '../../lib/failure.js'
import { osUser } from '../../platform/user.js'
import type { Notices } from '../notices.js'
import type { Shell } from '../shell/shell.js'
import { askScript } from './ask-script.js'
import { createScriptIndex, type ScriptIndex } from './script-index.js'

export interface Surroundings {
  readonly folder: string
  readonly shell: () => Promise<Shell>
  readonly notices: Notices
  readonly complain: (message: string) => void
  /** The names of the tools there are without scripts. */
  readonly house: readonly string[]
}

export function openScripts({ folder, shell, notices, complain, house }: Surroundings): ScriptIndex {
  const who = { user: osUser(), session: 'scripts' }
  return createScriptIndex({
    folder,
    house: new Set(house.map((name) => name.toLowerCase())),
    async ask(path) {
      if (process.platform === 'win32') throw new Failure('scripts become tools where there is bash; this is Windows.')
      return askScript(await shell(), path, who)
    },
    notices,
    complain,
  })
}
