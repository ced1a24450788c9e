import fc from 'fast-check'
import { expect, test } from 'vitest'

import { parseRobotsTxt } from './robots-txt.js'

const allows = (text: string, path: string): boolean => parseRobotsTxt(text, 'scorpiox-code').allows(path)

test.each([
  ['empty file', '', '/any', true],
  ['another agent', 'User-agent: other\nDisallow: /', '/any', true],
  ['all agents', 'User-agent: *\nDisallow: /', '/any', false],
  [
    'the own group takes precedence over *',
    'User-agent: *\nDisallow: /\n\nUser-agent: Scorpiox-Code\nDisallow: /x',
    '/any',
    true,
  ],
  ['a version after the name', 'User-agent: scorpiox-code/1.0\nDisallow: /', '/any', false],
  ['several agents share the rules', 'User-agent: a\nUser-agent: scorpiox-code\nDisallow: /x', '/x/y', false],
  ['several groups of one agent are merged', 'User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b', '/a', false],
  ['the longest rule decides', 'User-agent: *\nDisallow: /docs\nAllow: /docs/open', '/docs/open/1', true],
  ['of equal rules, Allow decides', 'User-agent: *\nDisallow: /docs\nAllow: /docs', '/docs', true],
  ['an empty Disallow', 'User-agent: *\nDisallow:', '/any', true],
  ['a wildcard', 'User-agent: *\nDisallow: /*/private', '/a/b/private/c', false],
  ['an end anchor that does not match', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf?x', true],
  ['an end anchor that matches', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf', false],
  ['an end anchor without a wildcard', 'User-agent: *\nDisallow: /a$', '/ab', true],
  ['comments and odd spaces', '\uFEFF# hi\r\n USER-AGENT : * # all\r\n disallow:/x # y\r\n', '/x', false],
  ['rules before any agent', 'Disallow: /\nUser-agent: *\nDisallow: /x', '/any', true],
  ['percent-encoding', 'User-agent: *\nDisallow: /%7ejoe/ä', '/~joe/%c3%A4', false],
  ['other lines between agents and rules', 'User-agent: *\nSitemap: /s\nCrawl-delay: 1\nDisallow: /x', '/x', false],
])('%s', (_, text, path, isAllowed) => {
  expect(allows(text, path)).toBe(isAllowed)
})

test('arbitrary input is parsed without errors or delays', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'User-agent: *',
      'Disallow: /',
      'Allow: /',
      `Disallow: /${'*a'.repeat(500)}b`,
      'Disallow: *$*$',
      ':',
    ),
  )
  fc.assert(
    fc.property(fc.array(line), fc.webPath(), (lines, path) => {
      expect(typeof allows(lines.join('\n'), path || '/')).toBe('boolean')
    }),
  )
  expect(allows(`User-agent: *\nDisallow: /${'*a'.repeat(900)}b`, `/${'a'.repeat(20_000)}`)).toBe(true)
})
