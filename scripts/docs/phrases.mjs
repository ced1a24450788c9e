// Finds phrases that a translation must not have: Korean pairs of particles, which a person never writes, and known wrong words.

import { dictionaryOf, LANGUAGES, PAGES, STRINGS, translationOf } from './pages.mjs'

const PHRASES = {
  ko: [
    [
      /이\(가\)|가\(이\)|을\(를\)|를\(을\)|은\(는\)|는\(은\)|와\(과\)|과\(와\)|\(으\)로|\(이\)(?=\p{L})/gu,
      'a pair of particles',
    ],
    [/손을\s+달아/gu, 'a literal translation of "hands"'],
    [/나에게\s+닿는\s+질문/gu, 'a literal translation'],
    [/먼저\s+통하는\s+길/gu, 'a literal translation'],
  ],
  ar: [
    [/يمنح[^.؟!]*?يدين/gu, 'a literal translation of "hands"'],
    [/يتحدث\s+كل\s+الإصدارات/gu, 'a program supports versions'],
    [/نواتين\s+هادئتين/gu, 'a literal translation of "quiet cores"'],
    [/صدفة\s+(?:ال)?أوامر/gu, 'a literal translation of "shell"'],
    [/(?:ال)?تذكير\p{L}*/gu, 'a callback is not a reminder'],
    [/(?:ال)?(?:رمز|رموز)\s+(?:ال)?مميز\p{L}*/gu, 'a token is "رمز وصول" everywhere'],
    [/كعملية\s+خلفية/gu, 'a literal translation of "as a job"'],
  ],
}

/** The wrong phrases in one file of a language; generated parts repeat the dictionary. */
export function wrongPhrases(file, text, { code }) {
  const own = text.replaceAll(/<!-- generated: [^]*?<!-- end: /g, (part) => part.replaceAll(/[^\n]/g, ' '))
  return PHRASES[code]
    .flatMap(([pattern, reason]) => [...own.matchAll(pattern)].map(({ 0: found, index }) => ({ found, index, reason })))
    .sort((a, b) => a.index - b.index)
    .map(({ found, index, reason }) => {
      const line = own.slice(0, index).split('\n').length
      return `${file}, line ${line}: write '${found.replaceAll(/\s+/g, ' ')}' in another way: ${reason}`
    })
}

/** Those in the pages, dictionaries and strings of all languages. `read` returns undefined for a missing file. */
export function allWrongPhrases(read) {
  return LANGUAGES.flatMap((language) => {
    const files = [
      ...PAGES.map((page) => translationOf(page, language)),
      dictionaryOf(language),
      ...STRINGS.map((folder) => `${folder}/${language.code}.ts`),
    ]
    return files.flatMap((file) => wrongPhrases(file, read(file) ?? '', language))
  })
}
