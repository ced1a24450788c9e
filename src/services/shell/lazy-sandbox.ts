// A sandbox that is opened, and tried out, when it is first needed.

import type { Config } from '../../config/load.js'
import type { CageLevel } from '../../platform/sandbox/level.js'
import type { Sandbox, SandboxTerms } from '../../platform/sandbox/sandbox.js'

export interface LazySandbox {
  /** A failure says what is missing. */
  open(): Promise<Sandbox>
  close(): Promise<void>
}

export function lazySandbox(config: Config, level: CageLevel, terms: Pick<SandboxTerms, 'isSealed'> = {}): LazySandbox {
  let opening: Promise<Sandbox> | undefined

  async function open(): Promise<Sandbox> {
    const [{ openSandbox }, { sandboxTerms }] = await Promise.all([
      import('../../platform/sandbox/sandbox.js'),
      import('../../config/sandbox-terms.js'),
    ])
    return openSandbox({ ...sandboxTerms(config, [level]), ...terms })
  }

  return {
    open() {
      if (opening) return opening
      opening = open()
      // What is installed meanwhile is found by the next command.
      opening.catch(() => (opening = undefined))
      return opening
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      await opened?.close()
    },
  }
}
