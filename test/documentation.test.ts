// The check of the three languages finds mistakes: each is planted in a correct page and must be named.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { compare } from '../scripts/docs/compare.mjs'
import { openDictionary } from '../scripts/docs/dictionary.mjs'
import { brokenLinks } from '../scripts/docs/links.mjs'
import { makeTables } from '../scripts/docs/tables.mjs'
import { composePages } from '../scripts/docs/translations.mjs'
import { emptyFolder } from './support/client.js'

const ENGLISH = `# Quick start

## Install it

Run \`npm\` once. ![a picture](a.svg)

\`\`\`sh
npm ci   # exact versions
# nothing here
npm start
\`\`\`

## Connect a client

- one
- two

| a | b |
|---|---|
| c | d |

### Cursor

Words, and \`--http\`.
`

const KOREAN = `# 빠른 시작

## <a id="install-it"></a>설치

한 번만 \`npm\`. ![그림](a.svg)

\`\`\`sh
npm ci   # 정확한 버전
# 아무것도 없음
npm start
\`\`\`

## <a id="connect-a-client"></a>클라이언트 연결

- 하나
- 둘

| a | b |
|---|---|
| c | d |

### Cursor

\`--http\`.
`

const ARABIC = `<div dir="rtl">

# البداية السريعة

## <a id="install-it"></a>التثبيت

شغّل \`npm\`. ![صورة](a.svg)

<div dir="ltr">

\`\`\`sh
npm ci   # إصدارات محددة
# لا شيء
npm start
\`\`\`

</div>

## <a id="connect-a-client"></a>وصل العميل

- واحد
- اثنان

| a | b |
|---|---|
| c | d |

### Cursor

كلمات و&lrm;\`--http\`.

</div>
`

test('a translation that has everything is accepted', () => {
  expect(compare('ko.md', KOREAN, ENGLISH)).toEqual([])
  expect(compare('ar.md', ARABIC, ENGLISH, { rtl: true })).toEqual([])
})

test.each([
  ['## <a id="connect-a-client"></a>클라이언트 연결\n', '', "ko.md lacks the section 'Connect a client'"],
  ['<a id="connect-a-client"></a>', '', "ko.md has a section '클라이언트 연결' that the English page has not"],
  ['### Cursor', '## Cursor', "ko.md has 'Cursor' at level 2, English at level 3"],
  ['# 빠른 시작', '', 'ko.md lacks a title'],
  [
    'npm start',
    'npm run start',
    "the code block in 'Install it' differs from the English one: 'npm run start' instead of 'npm start'",
  ],
  ['npm start\n', '', "'' instead of 'npm start'"],
  ['npm start\n', 'npm start\nnpm stop\n', "'npm stop' instead of ''"],
  ['```sh', '```js', "the code block is marked 'js', in English 'sh'"],
  [/```[^]*```/, '', "ko.md has 0 code blocks in 'Install it', English has 1"],
  ['![그림](a.svg)', '', "ko.md has 0 pictures in 'Install it', English has 1"],
  ['- 둘\n', '', "ko.md has 1 list item in 'Connect a client', English has 2"],
  ['| c | d |\n', '', "ko.md has 2 table rows in 'Connect a client', English has 3"],
  ['`npm`', 'npm', "ko.md does not mention `npm` in 'Install it'"],
])('without %s it is rejected', (part, instead, sentence) => {
  expect(compare('ko.md', KOREAN.replace(part, instead), ENGLISH).join('\n')).toContain(sentence)
})

test('sections in another order are named', () => {
  const [title, install, connect] = KOREAN.split(/^(?=## )/m)
  expect(compare('ko.md', `${title}${connect}\n${install}`, ENGLISH).join('\n')).toContain(
    "ko.md has 'Install it' in another place than English",
  )
})

test.each([
  ['<div dir="rtl">', '', 'is not wrapped in <div dir="rtl">'],
  [/<div dir="ltr">\n([^]*?)<\/div>\n/, '$1', 'the code block is not in <div dir="ltr">'],
  ['&lrm;', '', '`--http` would be shown turned around; write &lrm;`--http`'],
])('Arabic without %s is refused', (part, instead, sentence) => {
  expect(compare('ar.md', ARABIC.replace(part, instead), ENGLISH, { rtl: true }).join('\n')).toContain(sentence)
})

test('a sentence without a translation is reported, and so is an obsolete one', () => {
  const phrases = openDictionary('words.json', '{"tool": "도구", "gone": "없음", "empty": ""}')
  expect([phrases.translate('tool'), phrases.translate('a new sentence'), phrases.translate('empty')]).toEqual([
    '도구',
    'a new sentence',
    'empty',
  ])
  expect(phrases.problems()).toEqual([
    'words.json lacks the translation of "a new sentence"',
    'words.json lacks the translation of "empty"',
    'words.json translates "gone", which is no longer part of the English text',
  ])
  expect(JSON.parse(phrases.text())).toEqual({ tool: '도구', 'a new sentence': '', empty: '', gone: '없음' })
})

test('a new tool and a new option require their phrases', () => {
  const phrases = openDictionary('words.json', '{}')
  const tool = {
    name: 'Dig',
    description: 'Dig a hole\nDeep.',
    inputSchema: { properties: { at: { type: 'string', description: 'Where' } } },
  }
  const options = [
    { key: 'TOOL_DIG', type: 'boolean', default: true, about: 'Offer Dig; off, it is not.', project: true },
    { key: 'DEPTH', type: 'integer', default: 3, about: 'How deep.', project: false },
  ]
  const tables = makeTables({ tools: [tool], options }, phrases, { translated: true, rtl: true })
  expect(tables.toolTable() + tables.toolPages() + tables.optionTable()).toContain(
    '| `TOOL_DIG` | boolean | `true` | Offer Dig; off, it is not. |',
  )
  const asked = phrases.problems().join('\n')
  for (const one of ['Dig a hole', 'Deep.', 'Where', 'Offer {tool}; off, it is not.', 'How deep.'])
    expect(asked).toContain(`"${one}"`)
})

test('a broken link is reported with its line', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'docs'))
  const page = join(folder, 'docs/page.md')
  writeFileSync(join(folder, 'README.md'), '# Title\n\n## Here and there\n')
  writeFileSync(
    page,
    [
      '# Page',
      '[fine](../README.md#here-and-there) [fine](#page) [elsewhere](https://example.com/x.md) `[code](x.md)`',
      '[gone](gone.md)',
      '[no heading](../README.md#nowhere)',
      '<img src="gone.svg">',
      '```',
      '[in code](gone.md)',
      '```',
    ].join('\n'),
  )
  const found = brokenLinks([page]).map((sentence) => sentence.replaceAll(`${folder}/`, ''))
  expect(found).toEqual([
    'docs/page.md, line 3: the link to gone.md is broken: there is no docs/gone.md',
    'docs/page.md, line 4: the link to ../README.md#nowhere is broken: README.md has no heading #nowhere',
    'docs/page.md, line 5: the link to gone.svg is broken: there is no docs/gone.svg',
  ])
})

const FACTS = { tools: [], options: [], peers: { day: '', machine: '', busyCores: 0, rounds: 1, peers: [] } }
const NAMES = ['README', 'quick-start', 'tools', 'configuration', 'security', 'write-your-own']

/** All pages in all languages, with no more than they need. */
function library(): Map<string, string> {
  const parts = ['tools', 'options', 'comparison', 'clients'].map(
    (name) => `<!-- generated: ${name} -->\n<!-- end: ${name} -->`,
  )
  const pages = NAMES.flatMap((name) => {
    const english = name === 'README' ? 'README.md' : `docs/${name}.md`
    const up = name === 'README' ? '../../README.md' : `../${name}.md`
    const down = name === 'README' ? 'docs/' : ''
    const page = (links: string[]): string =>
      `# ${name}\n\n${links.map((to) => `[x](${to})`).join(' ')}\n\n${parts.join('\n')}\n`
    return [
      [english, page([`${down}ko/${name}.md`, `${down}ar/${name}.md`])],
      [`docs/ko/${name}.md`, page([up, `../ar/${name}.md`])],
      [`docs/ar/${name}.md`, `<div dir="rtl">\n\n${page([up, `../ko/${name}.md`])}\n</div>\n`],
    ] as const
  })
  return new Map([...pages, ...['comparison', 'clients'].map((name) => [`docs/${name}.md`, parts.join('\n')] as const)])
}

function problemsWith(change: (pages: Map<string, string>) => void): string[] {
  const pages = library()
  change(pages)
  const { problems } = composePages(FACTS, (file) => pages.get(file))
  return problems.filter((problem) => !problem.includes('words.json'))
}

test('a page that is missing, or lacks its tables or other languages, is reported', () => {
  expect(problemsWith(() => {})).toEqual([])
  expect(problemsWith((pages) => pages.delete('docs/ko/security.md'))).toEqual(['docs/ko/security.md is missing'])
  expect(problemsWith((pages) => pages.delete('docs/tools.md'))).toEqual(['docs/tools.md is missing'])
  const lacking = (file: string, part: string) => (pages: Map<string, string>) =>
    pages.set(file, (pages.get(file) ?? '').replace(part, ''))
  expect(problemsWith(lacking('docs/ar/configuration.md', '<!-- generated: options -->'))).toEqual([
    'docs/ar/configuration.md lacks <!-- generated: options --> … <!-- end: options -->',
  ])
  expect(problemsWith(lacking('docs/ko/tools.md', '[x](../ar/tools.md)'))).toEqual([
    'docs/ko/tools.md has no link to docs/ar/tools.md, the same page in another language',
  ])
})
