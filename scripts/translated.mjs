// Confirms translations: records that they were made from the present English text. Until then a changed English paragraph or
// string fails `npm run check:generated`. Refuses a page that lacks something of the English one.
//   npm run translated -- ko                                   all pages and strings of a language
//   npm run translated -- docs/ko/security.md [section]        one page, or one section of it by its anchor
//   npm run translated -- packages/console/src/i18n/ko.ts [key]

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { confirm } from './docs/confirm.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const [target = '', part] = process.argv.slice(2)
const { files, problems } = await confirm(target, part, (file) =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined,
)
for (const problem of problems) process.stderr.write(`${problem}\n`)
for (const [file, text] of files) writeFileSync(file, text)
if (problems.length > 0) process.exitCode = 1
else process.stdout.write(`confirmed in ${[...files.keys()].join(', ')}\n`)
