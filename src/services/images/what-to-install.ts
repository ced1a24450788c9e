// Install hints for missing packages.

import { executableEntry } from '../../platform/program.js'
import type { Missing } from './picture.js'

const INSTALL_LOCATION = 'where scorpiox-code is installed (with -g if it is installed globally)'

/** The standalone executable loads no packages from disk. */
export const GET_SHARP =
  executableEntry() === undefined
    ? `run \`npm install sharp\` ${INSTALL_LOCATION}`
    : 'make a PNG or JPEG of it first, or use the npm package (`npx scorpiox-code`): this executable has no sharp'

export function installFor(packageName: Exclude<Missing, 'sharp'>): string {
  const formatName = packageName === 'libheif-js' ? 'a HEIC image' : 'a PDF document'
  return `is ${formatName}, and its decoder is not installed: run \`npm install ${packageName}\` ${INSTALL_LOCATION}`
}
