// Opens and verifies a sandbox on first use.

import type { Config } from '../../config/load.js'
import type { CageLevel } from '../../platform/sandbox/level.js'
import type { Sandbox, SandboxTerms } from '../../platform/sandbox/sandbox.js'

export interface LazySandbox {
  /** Rejects with a Failure that names what is missing. */
  open(): Promise<Sandbox>
  close(): Promise<void>
}

export function lazySandbox(
  config: Config,
  level: CageLevel,
  options: Pick<SandboxTerms, 'isSealed'> = {},
): LazySandbox {
  let opening: Promise<Sandbox> | undefined

  async function open(): Promise<Sandbox> {
    const [{ openSandbox }, { sandboxTerms }] = await Promise.all([
      import('../../platform/sandbox/sandbox.js'),
      import('../../config/sandbox-terms.js'),
    ])
    return openSandbox({ ...sandboxTerms(config, [level]), ...options })
  }

  return {
    open() {
      if (opening) return opening
      opening = open()
      // Retry with the next command: the missing program may have been installed meanwhile.
      opening.catch(() => (opening = undefined))
      return opening
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      await opened?.close()
    },
  }
}
