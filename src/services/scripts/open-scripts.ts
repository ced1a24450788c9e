// Opens the script index. `--schema` is run as the OS user that owns the script directory.

import { Failure } from '../../lib/failure.js'
import { osUser } from '../../platform/user.js'
import type { Notices } from '../notices.js'
import type { Shell } from '../shell/shell.js'
import { askScript } from './ask-script.js'
import { createScriptIndex, type ScriptIndex } from './script-index.js'

export interface ScriptSources {
  readonly folder: string
  readonly shell: () => Promise<Shell>
  readonly notices: Notices
  /** Names of the other tools. */
  readonly house: readonly string[]
}

export interface Surroundings extends ScriptSources {
  readonly complain: (message: string) => void
}

export function openScripts({
  folder: directory,
  shell,
  notices: changeEvents,
  complain: warn,
  house: reservedNames,
}: Surroundings): ScriptIndex {
  const caller = { user: osUser(), session: 'scripts' }
  return createScriptIndex({
    folder: directory,
    house: new Set(reservedNames.map((name) => name.toLowerCase())),
    async ask(path) {
      if (process.platform === 'win32') throw new Failure('script tools require bash and are not supported on Windows.')
      return askScript(await shell(), path, caller)
    },
    notices: changeEvents,
    complain: warn,
  })
}
