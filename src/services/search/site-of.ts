// Approximates the registrable domain of a host without the Public Suffix List: the last two labels, or three for
// country-code suffixes such as co.uk and shared hosting such as github.io.

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
  const labels = host.split('.')
  const suffix = labels.slice(-2).join('.')
  return OF_A_COUNTRY.test(suffix) || GIVEN_AWAY.has(suffix) ? labels.slice(-3).join('.') : suffix
}
