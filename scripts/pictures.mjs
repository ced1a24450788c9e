// Creates docs/pictures/: screenshots of the page, and terminals from real runs of the program. Requires dist/.
//   node scripts/pictures.mjs [pages|terminals]    default: both

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { takeInspector } from './pictures/inspector.mjs'
import { takePages } from './pictures/pages.mjs'
import { takeTerminals } from './pictures/terminals.mjs'

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url))
/** The names of the pictures of each kind; others are not made here. */
const KINDS = { pages: [/\.png$/, takePages], terminals: [/^terminal-.*\.svg$/, takeTerminals] }
const chosen = process.argv[2] === undefined ? Object.keys(KINDS) : [process.argv[2]]

mkdirSync(folder, { recursive: true })
for (const kind of chosen) {
  const [names, take] = KINDS[kind]
  for (const name of readdirSync(folder).filter((file) => names.test(file))) rmSync(join(folder, name))
  await take(folder)
  if (kind === 'pages') await takeInspector(folder)
}
