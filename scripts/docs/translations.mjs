// Fills the generated parts of every page in every language, and reports what a translation lacks.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

import { compare } from './compare.mjs'
import { ENGLISH, openDictionary } from './dictionary.mjs'
import { wrongLanguageLinks } from './links.mjs'
import { linksOf, readPage } from './markdown.mjs'
import { dictionaryOf, LANGUAGES, PAGES, translationOf } from './pages.mjs'
import { makeTables } from './tables.mjs'

const COMPARISON = 'docs/comparison.md'
const CLIENTS = 'docs/clients.md'

const GENERATED = {
  'README.md': { tools: 'toolTable' },
  'docs/tools.md': { tools: 'toolPages' },
  'docs/configuration.md': { options: 'optionTable' },
  [COMPARISON]: { comparison: 'comparison' },
  [CLIENTS]: { clients: 'clientTable' },
}

/** Returns the text to write by file, and the problems that writing does not solve. `read` returns undefined for a missing file. */
export function composePages(facts, read = readFile) {
  const files = new Map()
  const problems = []
  const english = makeTables(facts, ENGLISH)
  for (const page of [...PAGES, COMPARISON, CLIENTS]) compose(page, page, english)
  for (const language of LANGUAGES) {
    const dictionary = dictionaryOf(language)
    const translations = openDictionary(dictionary, read(dictionary))
    const tables = makeTables(facts, translations, { translated: true, rtl: language.rtl })
    for (const page of PAGES) {
      const file = translationOf(page, language)
      compose(file, page, tables)
      if (!files.has(file)) continue
      problems.push(...wrongLanguageLinks(file, files.get(file), page, language))
      if (files.has(page)) problems.push(...compare(file, files.get(file), files.get(page), language))
    }
    files.set(dictionary, translations.text())
    problems.push(...translations.problems())
  }
  for (const page of PAGES) problems.push(...missingLinks(page, files))
  return { files, problems }

  function compose(file, page, tables) {
    // Also if the page is missing, so that the dictionary contains all sentences.
    const parts = Object.entries(GENERATED[page] ?? {}).map(([name, table]) => [name, tables[table]()])
    let text = read(file)
    if (text === undefined) return problems.push(`${file} is missing`)
    for (const [name, part] of parts) {
      const filled = insert(text, name, part)
      if (filled === undefined) problems.push(`${file} lacks <!-- generated: ${name} --> … <!-- end: ${name} -->`)
      else text = filled
    }
    return files.set(file, text)
  }
}

/** The versions of a page that do not link each other. */
function missingLinks(page, files) {
  const versions = [page, ...LANGUAGES.map((language) => translationOf(page, language))].filter((file) =>
    files.has(file),
  )
  return versions.flatMap((file) => {
    const links = linksOf(readPage(files.get(file)))
    const targets = new Set(links.map(({ target }) => normalize(join(dirname(file), target))))
    return versions
      .filter((other) => other !== file && !targets.has(other))
      .map((other) => `${file} has no link to ${other}, the same page in another language`)
  })
}

function insert(text, name, part) {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`]
  const [before, rest] = text.split(open)
  const after = rest?.split(close)[1]
  return after === undefined ? undefined : `${before}${open}\n${part}\n${close}${after}`
}

function readFile(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
