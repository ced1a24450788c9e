// Reports broken relative links of all pages: a missing file, or a heading that the page does not have.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

import { anchorsOf, linksOf, readPage } from './markdown.mjs'

const FOLDERS = ['.', 'docs', 'bench', 'judges', 'examples']

export function allPages() {
  return FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== '.' })
      .map((name) => normalize(join(folder, name)))
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules')),
  )
}

export function brokenLinks(files) {
  const pages = new Map()
  return files.flatMap((file) =>
    linksOf(pageOf(file))
      .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target))
      .flatMap(({ target, at }) => {
        const [path, anchor] = decodeURI(target).split('#')
        const leadsTo = path === '' ? file : normalize(join(dirname(file), path))
        if (!existsSync(leadsTo))
          return [`${file}, line ${at}: the link to ${target} is broken: there is no ${leadsTo}`]
        if (!anchor || !leadsTo.endsWith('.md') || anchorsOf(pageOf(leadsTo)).has(anchor)) return []
        return [`${file}, line ${at}: the link to ${target} is broken: ${leadsTo} has no heading #${anchor}`]
      }),
  )

  function pageOf(file) {
    if (!pages.has(file)) pages.set(file, readPage(readFileSync(file, 'utf8')))
    return pages.get(file)
  }
}
