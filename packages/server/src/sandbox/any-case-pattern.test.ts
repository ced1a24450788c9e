import { expect, test } from 'vitest'

import { anyCasePattern } from './any-case-pattern.js'

function matches(text: string, spelling: string): boolean {
  return new RegExp(`^${anyCasePattern(text)}$`).test(spelling)
}

test.each([
  ['.mcp.json', '.MCP.Json'],
  ['.vscode', '.v\u017Fcode'],
  ['hooks', 'hoo\u212A\u017F'],
  ['config', 'CON\uFB01G'],
  ['refs', 'ref\u017F'],
  ['office', 'o\uFB03ce'],
  ['office', 'o\uFB00ice'],
  ['assist', 'aßi\uFB06'],
  ['Straße', 'STRASSE'],
  ['straẞe', 'strasse'],
  ['café', 'CAFE\u0301'],
  ['cafe\u0301', 'CAFÉ'],
  ['\u212Bngström', 'ångstro\u0308m'],
  ['λόγος', 'ΛΌΓΟΣ'],
  ['비밀', '비밀'.normalize('NFD')],
])('%s is also %s', (text, spelling) => {
  expect(matches(text, spelling)).toBe(true)
})

test.each([
  ['.mcp.json', 'xmcp.json'],
  ['config', 'confi'],
  ['hooks', 'hook'],
  ['a(b|c)', 'ab'],
  ['a[b]', 'ab'],
])('%s is not %s', (text, other) => {
  expect(matches(text, other)).toBe(false)
  expect(matches(text, text)).toBe(true)
})

// The dotless i only maps to I; it folds to itself.
test('every character that folds to letters of ASCII is known', () => {
  const missing: string[] = []
  for (let code = 0; code < 0x10000; code++) {
    const character = String.fromCharCode(code)
    if (character === 'ı') continue
    const folded = [character.toLowerCase(), character.toUpperCase().toLowerCase(), character.normalize('NFC')]
    for (const text of folded)
      if (/^[a-z]+$/.test(text) && !matches(text, character)) missing.push(`${character} ${text}`)
  }
  expect(missing).toEqual([])
})

test('alternatives are used, not classes: a class would match single bytes', () => {
  expect(anyCasePattern('.vſcode-키K')).not.toContain('[')
})

test('a long name has a pattern of bounded length', () => {
  expect(anyCasePattern('f'.repeat(255)).length).toBeLessThan(50_000)
})
