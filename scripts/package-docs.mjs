// Copies the tutorial and the reference into docs/ of the package @scorpiox/mcp, which npm packs from there. Links to pages and
// files that are not in the package become text; pictures and the list of languages are left out. Called by build.mjs.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'

export const PACKAGE_PAGES = ['write-your-own.md', 'library.md', 'dev.md', 'api.md']

const LINK = /(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g
const IMAGE_LINE = /^!\[[^\]]*\]\([^)\s]+\)\n\n?/gm
const LANGUAGES_LINE = /^English · .*\n\n/m
const CODE_BLOCK = /(^```[^]*?^```$)/m

/** Writes the pages into the folder, which it empties first. */
export async function copyPackageDocs(from, to) {
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  for (const name of PACKAGE_PAGES) {
    await writeFile(`${to}/${name}`, forPackage(await readFile(`${from}/${name}`, 'utf8')))
  }
}

/** The text of a page as it is in the package. */
function forPackage(page) {
  return page
    .split(CODE_BLOCK)
    .map((part) => (part.startsWith('```') ? part : convertText(part)))
    .join('')
}

function convertText(text) {
  return text
    .replace(LANGUAGES_LINE, '')
    .replace(IMAGE_LINE, '')
    .replace(LINK, (link, label, target) => (isInPackage(target) ? link : `${label} (in the repository)`))
}

function isInPackage(target) {
  const [path] = target.split('#')
  return path === '' || PACKAGE_PAGES.includes(path) || /^https?:/.test(target)
}
