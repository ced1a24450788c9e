// What a person has to type for what is missing.

import { executableEntry } from '../../platform/program.js'
import type { Missing } from './picture.js'

const WHERE = 'where scorpiox-code is installed (with -g if it is installed globally)'

/** The executable takes nothing from the disk that would run within it. */
export const GET_SHARP =
  executableEntry() === undefined
    ? `run \`npm install sharp\` ${WHERE}`
    : 'make a PNG or JPEG of it first, or use the npm package (`npx scorpiox-code`): this executable has no sharp'

export function installFor(missing: Exclude<Missing, 'sharp'>): string {
  const what = missing === 'libheif-js' ? 'a HEIC image' : 'a PDF document'
  return `is ${what}, and what shows those is not installed: run \`npm install ${missing}\` ${WHERE}`
}
