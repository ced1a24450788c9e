// Creates the service behind ReadImage from the settings: path policy, worker script and environment.

import { join, resolve } from 'node:path'

import type { Config } from '../../config/load.js'
import { sandboxTerms } from '../../config/sandbox-terms.js'
import { createDarkrooms } from './darkrooms.js'
import type { Grounds } from './grounds.js'
import { createImages, type Images } from './images.js'

/** `isSandboxed`: commands cannot read all files, so ReadImage must not either. */
export function openImages(config: Config, isSandboxed: boolean): Images {
  return createImages(
    config.cwd,
    createPathPolicy(config, isSandboxed),
    createDarkrooms(join(config.partsDir, 'darkroom.js'), workerEnvironment(config)),
  )
}

function createPathPolicy(config: Config, isSandboxed: boolean): Grounds {
  const { settings, cwd, home } = config
  const configuredRoots = settings.READIMAGE_ROOTS.split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => (/^~(\/|$)/.test(path) ? join(home, path.slice(1)) : resolve(cwd, path)))
  const hidden = isSandboxed ? sandboxTerms(config, []).hidden : []
  if (configuredRoots.length > 0) return { roots: configuredRoots, hidden }
  return { roots: isSandboxed ? [cwd] : undefined, hidden }
}

/** Variables that libraries need for loading and fonts; no secrets. */
const KEPT_VARIABLES =
  /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|(?:DY)?LD_\w+|FONTCONFIG_\w+|XDG_(?:DATA|CACHE|CONFIG)_\w+)$/i

/** Few malloc arenas, because memory freed in one arena is not reused by another. */
function workerEnvironment({ childEnv }: Config): NodeJS.ProcessEnv {
  const variables = Object.entries(childEnv).filter(([name]) => KEPT_VARIABLES.test(name))
  return { ...Object.fromEntries(variables), MALLOC_ARENA_MAX: '2' }
}
