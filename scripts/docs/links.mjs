// Reports broken relative links of all pages: a missing file, or a heading that the page does not have. In translations, it also
// reports links to English pages that do not say so.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

import { anchorsOf, linksOf, readBlocks, readPage } from './markdown.mjs'
import { PAGES, translationOf } from './pages.mjs'

const LINK = /(?<!!)\[[^\]]*\]\((?<target>[^)\s]+)\)/gu
/** What joins the links of an enumeration. */
const JOINED = `(?:[\\s,،·و]|와|과|및|그리고|(?:${LINK.source.replace('?<target>', '')}))*`
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

/**
 * The links of a translation of `page` that lead to English without the mark after them (or after their enumeration, or before it
 * as "in English: …"), that lead to an English page which is translated, or that are marked without reason.
 */
export function wrongLanguageLinks(file, text, page, language) {
  const mark = `(?:\\s?\\(${language.english}\\)|، ${language.english})`
  const [marked, enumerationMarked] = [new RegExp(`^${mark}`, 'u'), new RegExp(`^${JOINED}${mark}`, 'u')]
  const introduced = new RegExp(`${language.english}[^.:]*:${JOINED}$`, 'u')
  const blocks = readBlocks(text).flatMap((section) => section.blocks)
  return blocks.flatMap(({ at, lines }) => {
    const whole = lines.join('\n')
    return [...whole.matchAll(LINK)].flatMap(({ 0: link, index, groups: { target } }) => {
      const [before, after] = [whole.slice(0, index), whole.slice(index + link.length)]
      const problem = problemOf(target, before, after)
      return problem ? [`${file}, line ${at + before.split('\n').length - 1}: the link to ${target} ${problem}`] : []
    })
  })

  function problemOf(target, before, after) {
    const path = decodeURI(target).split('#')[0]
    if (/^[a-z][a-z0-9+.-]*:/i.test(path) || !path.endsWith('.md')) return undefined
    const leadsTo = normalize(join(dirname(file), path))
    if (leadsTo === page) return undefined
    if (PAGES.includes(leadsTo)) return `leads to English; link to ${translationOf(leadsTo, language)}`
    const isList = introduced.test(before)
    if (/^docs\/[a-z]{2}\//.test(leadsTo))
      return isList || marked.test(after) ? 'is marked as English, but leads to a translated page' : undefined
    return isList || enumerationMarked.test(after)
      ? undefined
      : `leads to an English page; write (${language.english}) after it`
  }
}
