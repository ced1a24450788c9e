// A copy of the built program in which an hour is shorter: what it drops after an hour, or after ten minutes, it
// drops sooner, so that a soak of minutes shows whether memory levels off. Used by run.mjs with `--hour`.

import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const HOUR = '36e5'
const TEN_MINUTES = '6e5'
/** Sessions, workspaces, records of ended tasks, pages that were read. The build writes constants as numbers. */
const PARTS = {
  'serve-http.js': [HOUR, TEN_MINUTES],
  'workspaces.js': [HOUR],
  'job-service.js': [HOUR],
  'document-reader.js': [TEN_MINUTES],
}
const CHECK_INTERVAL = '6e4'

/** Returns the path of the program. */
export function copyShortened(folder, minutes) {
  const copy = join(folder, 'dist')
  cpSync(join(REPOSITORY, 'dist'), copy, { recursive: true })
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
  const factor = minutes / 60
  for (const [name, numbers] of Object.entries(PARTS)) {
    const path = join(copy, 'parts', name)
    let text = readFileSync(path, 'utf8')
    for (const number of numbers) {
      if (!text.includes(number)) throw new Error(`${name} of the build does not contain ${number}`)
      text = replaceNumber(text, number, Number(number) * factor)
    }
    // Checks once a minute become as much more frequent, but not more than once a second.
    if (numbers.includes(HOUR)) text = replaceNumber(text, CHECK_INTERVAL, Math.max(1000, 60_000 * factor))
    writeFileSync(path, text)
  }
  return join(copy, 'scorpiox-code.js')
}

function replaceNumber(text, number, replacement) {
  return text.replaceAll(new RegExp(`(?<![\\w.])${number}(?!\\w)`, 'g'), String(replacement))
}
