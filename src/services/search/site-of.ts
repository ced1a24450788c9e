// Whom a host belongs to, as well as it can be told without the list of all suffixes: the last two names, or three where
// the last but one is of the country or of somebody who gives away names.

const OF_A_COUNTRY = /^(?:com?|org|net|gov|govt|edu|ac|or|ne|go|gob)\.[a-z]{2}$/
const GIVEN_AWAY = new Set([
  'github.io',
  'gitlab.io',
  'readthedocs.io',
  'blogspot.com',
  'wordpress.com',
  'substack.com',
  'tumblr.com',
  'netlify.app',
  'vercel.app',
  'pages.dev',
  'web.app',
  'herokuapp.com',
  'fandom.com',
])

export function siteOf(host: string): string {
  const names = host.split('.')
  const suffix = names.slice(-2).join('.')
  return OF_A_COUNTRY.test(suffix) || GIVEN_AWAY.has(suffix) ? names.slice(-3).join('.') : suffix
}
