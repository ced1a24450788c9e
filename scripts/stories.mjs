// Shows the stories of the console's page to developers: builds them, serves them on this machine and prints the address.
//   node scripts/stories.mjs [port]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { buildStoryPage, serveStoryPage } from './story-page.mjs'

const folder = mkdtempSync(join(tmpdir(), 'scorpiox-stories-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
await buildStoryPage(folder)
const { address } = await serveStoryPage(folder, Number(process.argv[2] ?? 0))
console.log(`The stories are at ${address}\nStop with Ctrl+C. Start again after a change of the code.`)
