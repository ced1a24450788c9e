// The pages and strings that exist in three languages, and where each is. English is the source.

export const PAGES = [
  'README.md',
  'docs/quick-start.md',
  'docs/tools.md',
  'docs/configuration.md',
  'docs/security.md',
  'docs/write-your-own.md',
]

/** Folders with the strings of the console and of the inbox: `en.ts`, `ko.ts` and `ar.ts` in each. */
export const STRINGS = ['packages/console/src/i18n', 'packages/console/src/terminal/messages']

/** `english` stands after a link that leads to a page in English. */
export const LANGUAGES = [
  { code: 'ko', name: '한국어', rtl: false, english: '영어' },
  { code: 'ar', name: 'العربية', rtl: true, english: 'بالإنجليزية' },
]

export function translationOf(page, { code }) {
  return `docs/${code}/${page.split('/').at(-1)}`
}

export function dictionaryOf({ code }) {
  return `docs/${code}/words.json`
}

/** What each translation was made from; see sources.mjs. */
export function sourcesOf({ code }) {
  return `docs/${code}/sources.json`
}
