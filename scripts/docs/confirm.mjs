// Compares all translations of a language with the English they were made from, and confirms those that are up to date.

import { transformSync } from 'rolldown/utils'

import { compare } from './compare.mjs'
import { LANGUAGES, PAGES, sourcesOf, STRINGS, translationOf } from './pages.mjs'
import { recordPage, recordStrings, stalePage, staleStrings } from './sources.mjs'

/** The stale translations of all languages. `read` returns undefined for a missing file; a missing page is another problem. */
export async function staleTranslations(read) {
  const found = await Promise.all(
    LANGUAGES.map(async (language) => {
      const recorded = JSON.parse(read(sourcesOf(language)) ?? '{}')
      const works = await worksOf(language, read)
      return works.flatMap(({ source, stale }) => stale(recorded[source]))
    }),
  )
  return found.flat()
}

/**
 * Records that translations are up to date: `target` is a language, or the file of a translation; `part` is one section or key.
 * Returns the files to write by path, and the problems that prevent it.
 */
export async function confirm(target, part, read) {
  for (const language of LANGUAGES) {
    const works = await worksOf(language, read)
    const chosen = works.filter(({ file }) => target === language.code || target === file)
    if (chosen.length === 0) continue
    const recorded = JSON.parse(read(sourcesOf(language)) ?? '{}')
    const problems = chosen.flatMap((work) => [...work.problems(), ...update(recorded, work, part)])
    if (part !== undefined && chosen.length > 1) problems.push('a section needs the file of one translation')
    const sorted = works.filter(({ source }) => recorded[source]).map(({ source }) => [source, recorded[source]])
    const text = `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`
    return problems.length > 0
      ? { files: new Map(), problems }
      : { files: new Map([[sourcesOf(language), text]]), problems }
  }
  const known = LANGUAGES.map((language) => `${language.code}, ${translationOf(PAGES[0], language)}`).join(', ')
  return {
    files: new Map(),
    problems: [`there is no translation '${target}'; give a language or a file, such as ${known}`],
  }
}

/** What is translated into a language: how to record it, and to compare it with a record. */
async function worksOf(language, read) {
  const pages = PAGES.map((source) => {
    const file = translationOf(source, language)
    const [text, english] = [read(file), read(source)]
    const exist = text !== undefined && english !== undefined
    return {
      source,
      file,
      record: () => recordPage(english),
      stale: (record) => (exist ? stalePage(file, text, english, record) : []),
      problems: () => (exist ? compare(file, text, english, language) : [`${file} or ${source} is missing`]),
    }
  })
  const strings = STRINGS.map(async (folder) => {
    const [source, file] = [`${folder}/en.ts`, `${folder}/${language.code}.ts`]
    const [text, english] = [read(file), read(source)]
    if (text === undefined || english === undefined) return []
    const values = await loadStrings(source, english)
    const stale = (record) => staleStrings(file, text, values, record)
    return [{ source, file, record: () => recordStrings(values), stale, problems: () => [] }]
  })
  return [...pages, ...(await Promise.all(strings)).flat()]
}

function update(recorded, { source, file, record }, part) {
  const present = record()
  if (part === undefined) recorded[source] = present
  else if (part in present) recorded[source] = { ...recorded[source], [part]: present[part] }
  else return [`${file} has no part '${part}'; one of: ${Object.keys(present).join(', ')}`]
  return []
}

async function loadStrings(path, text) {
  const { code } = transformSync(path, text)
  const [values] = Object.values(await import(`data:text/javascript,${encodeURIComponent(code)}`))
  return values
}
