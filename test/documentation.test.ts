// The checks of the three languages find mistakes: each is planted in correct pages and strings, and must be named.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { compare } from '../scripts/docs/compare.mjs'
import { confirm, staleTranslations } from '../scripts/docs/confirm.mjs'
import { openDictionary } from '../scripts/docs/dictionary.mjs'
import { brokenLinks, wrongLanguageLinks } from '../scripts/docs/links.mjs'
import { allWrongPhrases, wrongPhrases } from '../scripts/docs/phrases.mjs'
import { recordPage, recordStrings, stalePage, staleStrings } from '../scripts/docs/sources.mjs'
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

const [IN_KOREAN, IN_ARABIC] = [
  { code: 'ko', english: '영어' },
  { code: 'ar', english: 'بالإنجليزية' },
]
const korean = (text: string): string[] => wrongLanguageLinks('docs/ko/tools.md', text, 'docs/tools.md', IN_KOREAN)
const arabic = (text: string): string[] => wrongLanguageLinks('docs/ar/tools.md', text, 'docs/tools.md', IN_ARABIC)

test('links to English pages are marked in translations, and others are not', () => {
  const right = [
    '[English](../tools.md) · [العربية](../ar/tools.md) · [보안](security.md)',
    '[셸](../shell.md)(영어)에 있습니다. ([샌드박스](../sandbox.md#x) (영어)) ![그림](../pictures/a.png)',
    '[셸](../shell.md), [이미지](../read-image.md)와\n[`dev`](../dev.md)(영어)입니다.',
    '다음은 영어로 되어 있습니다: [셸](../shell.md) · [기록](../../CHANGELOG.md)',
    '[폴더](../../examples/grammar), [다른 곳](https://example.com/x.md)',
  ]
  expect(korean(right.join('\n\n'))).toEqual([])
  expect(arabic('([الأوامر](../shell.md) و[الطرفيات](../terminals.md)، بالإنجليزية)')).toEqual([])
  expect(arabic('[الأوامر](../shell.md) (بالإنجليزية)، و[الأمان](security.md)')).toEqual([])
})

test.each([
  [
    '[셸](../shell.md)에 있습니다',
    'docs/ko/tools.md, line 1: the link to ../shell.md leads to an English page; write (영어) after it',
  ],
  ['첫째\n둘째 [셸](../shell.md)\n', 'line 2: the link to ../shell.md leads to an English page'],
  [
    '[셸](../shell.md)과 [보안](security.md)(영어)',
    'the link to security.md is marked as English, but leads to a translated page',
  ],
  ['[셸](../shell.md). [터미널](../terminals.md)(영어)', 'the link to ../shell.md leads to an English page'],
  ['영어입니다: [보안](security.md)', 'the link to security.md is marked as English'],
  ['영어입니다. [셸](../shell.md)', 'the link to ../shell.md leads to an English page'],
  ['[보안](../security.md#x)(영어)', 'the link to ../security.md#x leads to English; link to docs/ko/security.md'],
])('the wrong mark of %s is reported', (text, sentence) => {
  expect(korean(text)).toEqual([expect.stringContaining(sentence)])
})

test('an English page without its mark is reported in Arabic', () => {
  expect(arabic('[الأوامر](../shell.md)، [الأمان](security.md)')).toEqual([
    'docs/ar/tools.md, line 1: the link to ../shell.md leads to an English page; write (بالإنجليزية) after it',
  ])
})

test.each(['이(가)', '을(를)', '은(는)', '와(과)', '(으)로', '(이)라'])(
  'the particles %s are refused in Korean',
  (pair) => {
    const found = wrongPhrases('ko.ts', `\n  a: '{name}${pair} x',`, IN_KOREAN)
    expect(found).toEqual([expect.stringContaining(`ko.ts, line 2: write '${pair.replace(/라$/, '')}`)])
  },
)

test.each([
  ['서버에 손을 달아 줍니다', '손을 달아'],
  ['나에게 닿는\n질문', '나에게 닿는 질문'],
  ['먼저 통하는 길로', '먼저 통하는 길'],
])('the Korean phrase in "%s" is refused', (text, phrase) => {
  expect(wrongPhrases('a.md', `x\n${text}`, IN_KOREAN)).toEqual([
    expect.stringContaining(`a.md, line 2: write '${phrase}'`),
  ])
})

test.each([
  ['يمنح أي عميل يدين', 'يمنح أي عميل يدين'],
  ['يتحدث كل الإصدارات المنشورة', 'يتحدث كل الإصدارات'],
  ['على نواتين هادئتين', 'نواتين هادئتين'],
  ['صدفة أوامر', 'صدفة أوامر'],
  ['أُلغي التذكير {slot}', 'التذكير'],
  ['ما يشبه الرموز المميزة', 'الرموز المميزة'],
  ['يستمر الأمر كعملية خلفية', 'كعملية خلفية'],
])('the Arabic phrase in "%s" is refused', (text, phrase) => {
  expect(wrongPhrases('a.md', text, IN_ARABIC)).toEqual([expect.stringContaining(`a.md, line 1: write '${phrase}'`)])
})

test('phrases are looked for in pages, dictionaries and strings, but not twice in generated parts', () => {
  const files = new Map([
    ['docs/ko/tools.md', 'a\n<!-- generated: tools -->\n도구을(를)\n<!-- end: tools -->\n질문은(는)\n'],
    ['docs/ko/words.json', '{\n  "Tool": "도구을(를)"\n}'],
    ['packages/console/src/i18n/ko.ts', "a: '{n}이(가)'"],
    ['packages/console/src/terminal/messages/ar.ts', "a: 'تذكير'"],
    ['docs/ar/tools.md', 'قال: استدعاء (callback) و 이(가)'],
  ])
  expect(allWrongPhrases((file) => files.get(file)).map((line) => line.split(': write')[0])).toEqual([
    'docs/ko/tools.md, line 5',
    'docs/ko/words.json, line 2',
    'packages/console/src/i18n/ko.ts, line 1',
    'packages/console/src/terminal/messages/ar.ts, line 1',
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

const SOURCE = `# Tokens

[한국어](ko/tokens.md)

Tokens are stored as hashes. A token is shown
once. Keep it.

Anyone with a token may call.

## Revoke a token

Run \`token revoke\`.

- It applies at once.
- Sessions end.

\`\`\`sh
token revoke a   # the name
\`\`\`

| key | about |
|---|---|
| \`A\` | First. |

<!-- generated: tools -->
Filled.
<!-- end: tools -->
`

const TRANSLATED = `# 토큰

[English](../tokens.md)

토큰은 해시로 저장됩니다.

토큰이 있으면 호출할 수 있습니다.

## <a id="revoke-a-token"></a>토큰 폐기

\`token revoke\`를 실행하세요.

- 즉시 적용됩니다.
- 세션이 끝납니다.

\`\`\`sh
token revoke a   # 이름
\`\`\`

| key | about |
|---|---|
| \`A\` | 첫째. |
`

const staleAfter = (change: (english: string) => string): string[] =>
  stalePage('ko.md', TRANSLATED, change(SOURCE), recordPage(SOURCE))

test('a translation of the present English is not stale', () => {
  expect(staleAfter((english) => english)).toEqual([])
})

test.each([
  [
    'a changed sentence',
    'shown\nonce',
    'shown twice',
    "ko.md, line 5, section 'Tokens'",
    'changed: "A token is shown twice."',
  ],
  ['a removed sentence', ' Keep it.', '', "ko.md, line 5, section 'Tokens'", 'changed: "A token is shown once."'],
  ['an added sentence', 'may call.', 'may call. Few do.', "ko.md, line 7, section 'Tokens'", 'changed: "Few do."'],
  ['a changed list item', 'Sessions end.', 'Jobs end.', "line 13, section 'Revoke a token'", 'changed: "Jobs end."'],
  ['a changed table row', 'First.', 'Second.', "line 20, section 'Revoke a token'", 'changed: "| `A` | Second. |"'],
  [
    'a changed comment in a code block',
    '# the name',
    '# a name',
    "line 17, section 'Revoke a token'",
    'changed: "a name"',
  ],
  ['a changed heading', '# Tokens', '# Your tokens', "line 1, section 'Your tokens'", 'changed: "Your tokens"'],
  ['a new paragraph', '\nAnyone', '\nNew.\n\nAnyone', "line 1, section 'Tokens'", 'has a new paragraph: "New."'],
  [
    'a removed paragraph',
    'Anyone with a token may call.\n\n',
    '',
    "line 1, section 'Tokens'",
    'removed the paragraph after: "Tokens are stored as hashes."',
  ],
  [
    'a moved paragraph',
    /(Tokens are[^]*it\.)\n\n(Anyone.*)/,
    '$2\n\n$1',
    "line 5, section 'Tokens'",
    'moved a paragraph: "Anyone with a token may call."',
  ],
  ['a new section', '## Revoke', '## Scopes\n\nNew.\n\n## Revoke', "section 'Scopes'", 'has a new section: "Scopes"'],
  ['a renamed section', '## Revoke a', '## Delete a', "section 'Delete a token'", 'changed: "Delete a token"'],
])('%s marks the translation as stale', (_, part, instead, place, sentence) => {
  const problems = staleAfter((english) => english.replace(part, instead))
  expect(problems).toEqual([expect.stringContaining(place)])
  expect(problems[0]).toContain(`stale, because English ${sentence}`)
})

test('a removed section marks the translation as stale', () => {
  expect(staleAfter((english) => english.replace(/## Revoke[^]*/, ''))).toEqual([
    'ko.md: stale, because English no longer has the section #revoke-a-token',
  ])
})

test.each([
  ['line breaks', 'shown\nonce', 'shown once'],
  ['the target of a link', 'ko/tokens.md', 'ko/other.md'],
  ['code', 'token revoke a ', 'token revoke b '],
  ['a generated part', 'Filled.', 'Filled again.'],
])('%s may change without the translation', (_, part, instead) => {
  expect(staleAfter((english) => english.replace(part, instead))).toEqual([])
})

test('a changed and a new string mark the translation as stale', () => {
  const values = { log: 'Log in', jobs: { one: '{n} job', other: '{n} jobs' } }
  const file = "export const ko = {\n  log: '로그인',\n  jobs: { other: '작업 {n}개' },\n}"
  const stale = (changed: object): string[] =>
    staleStrings('ko.ts', file, { ...values, ...changed }, recordStrings(values))
  expect(stale({})).toEqual([])
  expect(stale({ log: 'Sign in' })).toEqual(['ko.ts, line 2, \'log\': stale, because English changed: "Sign in"'])
  expect(stale({ jobs: { one: '{n} job', other: '{n} of them' } })).toEqual([
    expect.stringContaining("ko.ts, line 3, 'jobs': stale, because English changed: "),
  ])
  expect(stale({ out: 'Log out' })).toEqual(['ko.ts, line 0, \'out\': stale, because English is new: "Log out"'])
})

test('a stale translation is reported until it is confirmed, and a page with other problems cannot be confirmed', async () => {
  const folder = 'packages/console/src/i18n'
  const files = library().set(`${folder}/en.ts`, "export const en = {\n  log: 'Log in',\n} as const\n")
  for (const code of ['ko', 'ar']) files.set(`${folder}/${code}.ts`, 'export const own: object = {\n  log: "",\n}\n')
  const read = (file: string): string | undefined => files.get(file)
  const confirmed = async (...[target, part]: [string, string?]): Promise<string[]> => {
    const result = await confirm(target, part, read)
    for (const [file, text] of result.files) files.set(file, text)
    return result.problems
  }
  expect(await confirmed('ko')).toEqual([])
  expect(await confirmed('ar')).toEqual([])
  expect(await staleTranslations(read)).toEqual([])

  files.set('docs/security.md', `${files.get('docs/security.md')}\nTokens are hashed.\n\n## More\n\nText.\n`)
  files.set(`${folder}/en.ts`, "export const en = {\n  log: 'Sign in',\n} as const\n")
  const page = (code: string): string[] => [
    `docs/${code}/security.md, line 1, section 'security': stale, because English has a new paragraph: "Tokens are hashed."`,
    `docs/${code}/security.md, line 1, section 'More': stale, because English has a new section: "More"`,
  ]
  const string = (code: string): string =>
    `${folder}/${code}.ts, line 2, 'log': stale, because English changed: "Sign in"`
  const stale = await staleTranslations(read)
  expect(stale.map((line) => line.replace('line 3,', 'line 1,'))).toEqual(
    ['ko', 'ar'].flatMap((code) => [...page(code), string(code)]),
  )

  expect(await confirmed('docs/ko/security.md')).toEqual([
    'docs/ko/security.md lacks the section \'More\' (its heading begins with <a id="more"></a>)',
  ])
  expect(await staleTranslations(read)).toEqual(stale)
  files.set(
    'docs/ko/security.md',
    `${files.get('docs/ko/security.md')}\n해시입니다.\n\n## <a id="more"></a>더\n\n글.\n`,
  )
  expect(await confirmed('docs/ko/security.md', 'more')).toEqual([])
  expect(await staleTranslations(read)).toHaveLength(5)
  expect(await confirmed('docs/ko/security.md')).toEqual([])
  expect(await confirmed(`${folder}/ko.ts`, 'log')).toEqual([])
  expect(await staleTranslations(read)).toEqual(stale.filter((line) => line.includes('/ar')))

  expect(await confirmed('docs/ko/none.md')).toEqual([expect.stringContaining("no translation 'docs/ko/none.md'")])
  expect(await confirmed(`${folder}/ko.ts`, 'none')).toEqual([expect.stringContaining("no part 'none'; one of: log")])
})
