// Makes docs/pictures/: the page by a browser, and terminals from real runs of the program. Needs dist/.
//   node scripts/pictures.mjs [pages|terminals]    both unless told

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { takePages } from './pictures/pages.mjs'
import { takeTerminals } from './pictures/terminals.mjs'

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url))
const KINDS = { pages: ['.png', takePages], terminals: ['.svg', takeTerminals] }
const chosen = process.argv[2] === undefined ? Object.keys(KINDS) : [process.argv[2]]

mkdirSync(folder, { recursive: true })
for (const kind of chosen) {
  const [ending, take] = KINDS[kind]
  for (const name of readdirSync(folder).filter((one) => one.endsWith(ending))) rmSync(join(folder, name))
  await take(folder)
}
