// The pages that exist in three languages, and where each is. English is the source.

export const PAGES = [
  'README.md',
  'docs/quick-start.md',
  'docs/tools.md',
  'docs/configuration.md',
  'docs/security.md',
  'docs/write-your-own.md',
]

export const LANGUAGES = [
  { code: 'ko', name: '한국어', rtl: false },
  { code: 'ar', name: 'العربية', rtl: true },
]

export function translationOf(page, { code }) {
  return `docs/${code}/${page.split('/').at(-1)}`
}

export function dictionaryOf({ code }) {
  return `docs/${code}/words.json`
}
