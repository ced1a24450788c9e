// Puts ReadImage's service together: where it may read by the settings, and where its darkroom lies.

import { join, resolve } from 'node:path'

import type { Config } from '../../config/load.js'
import { sandboxTerms } from '../../config/sandbox-terms.js'
import { createDarkrooms } from './darkrooms.js'
import type { Grounds } from './grounds.js'
import { createImages, type Images } from './images.js'

/** `isConfined`: callers could not read with commands what ReadImage would show them. */
export function openImages(config: Config, isConfined: boolean): Images {
  return createImages(
    config.cwd,
    groundsOf(config, isConfined),
    createDarkrooms(join(config.partsDir, 'darkroom.js'), environmentOf(config)),
  )
}

function groundsOf(config: Config, isConfined: boolean): Grounds {
  const { settings, cwd, home } = config
  const listed = settings.READIMAGE_ROOTS.split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => (/^~(\/|$)/.test(path) ? join(home, path.slice(1)) : resolve(cwd, path)))
  const hidden = isConfined ? sandboxTerms(config, []).hidden : []
  if (listed.length > 0) return { roots: listed, hidden }
  return { roots: isConfined ? [cwd] : undefined, hidden }
}

/** What its libraries may need to be loaded and to find fonts, and nothing that is worth stealing. */
const KEPT =
  /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|(?:DY)?LD_\w+|FONTCONFIG_\w+|XDG_(?:DATA|CACHE|CONFIG)_\w+)$/i

/** Few arenas: what is freed in one thread would not serve another. */
function environmentOf({ childEnv }: Config): NodeJS.ProcessEnv {
  const kept = Object.entries(childEnv).filter(([name]) => KEPT.test(name))
  return { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: '2' }
}
