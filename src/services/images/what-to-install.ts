// What a person has to type for what is missing.

import type { Missing } from './picture.js'

const WHERE = 'where scorpiox-code is installed (with -g if it is installed globally)'

export const INSTALL_SHARP = `run \`npm install sharp\` ${WHERE}`

export function installFor(missing: Exclude<Missing, 'sharp'>): string {
  const what = missing === 'libheif-js' ? 'a HEIC image' : 'a PDF document'
  return `is ${what}, and what shows those is not installed: run \`npm install ${missing}\` ${WHERE}`
}
