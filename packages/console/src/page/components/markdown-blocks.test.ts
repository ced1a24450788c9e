import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { type MarkdownBlock, parseMarkdownBlocks } from './markdown-blocks.js'
import { type MarkdownSpan, parseMarkdownSpans } from './markdown-inline.js'

/** Everything that is shown, in order. */
function shownText(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(blockText).join('\n')
}

function blockText(block: MarkdownBlock): string {
  if (block.kind === 'code') return `${block.info}\n${block.text}`
  if (block.kind === 'quote') return shownText(block.blocks)
  if (block.kind === 'list') return block.items.map(({ marker, blocks }) => `${marker} ${shownText(blocks)}`).join('\n')
  if (block.kind === 'table') return [block.header, ...block.rows].flat().map(lineText).join('\n')
  return block.kind === 'rule' ? '' : lineText(block.text)
}

function lineText(text: string): string {
  return spanText(parseMarkdownSpans(text))
}

function spanText(spans: readonly MarkdownSpan[]): string {
  return spans
    .map((span) => {
      if ('text' in span) return span.text
      return `${spanText(span.spans)}${span.kind === 'link' && span.showsHref ? ` (${span.href})` : ''}`
    })
    .join('')
}

/** Without the letters of checkboxes and the numbers of ordered items, which are shown as boxes and markers. */
const letters = (text: string): string => text.replaceAll(/\[[xX]\]/g, '').replaceAll(/[^\p{L}\p{N}]/gu, '')

const PIECES = [
  ['a', 'b1', ' ', '  ', '    ', '\n', '\n\n', '\t', '# ', '- ', '* ', '1. ', '12) ', '[ ] ', '> ', '|', '|--|', '---'],
  [
    '```',
    '~~~',
    '`',
    '**',
    '*',
    '_',
    '__',
    '~~',
    '\\',
    '[l](',
    'http://e.example/p',
    ')',
    '<b>',
    '<http://x.example>',
    '![i](',
  ],
].flat()

describe('blocks of a plan', () => {
  test('headings, text, nested lists, checklists and code', () => {
    const plan = [
      '# Title',
      'Text',
      'goes on.',
      '',
      '- one',
      '  - [x] two',
      '    more',
      '',
      '    of two',
      '3. [ ] three',
      '   ```sh -x',
      '   # no heading',
      '   ```',
      '### Deep',
      '#no heading',
    ].join('\n')
    const text = (line: string): MarkdownBlock => ({ kind: 'text', text: line })
    expect(parseMarkdownBlocks(plan)).toEqual([
      { kind: 'heading', level: 1, outline: 1, text: 'Title' },
      text('Text\ngoes on.'),
      {
        kind: 'list',
        isOrdered: false,
        items: [
          {
            marker: '•',
            isDone: undefined,
            blocks: [
              text('one'),
              {
                kind: 'list',
                isOrdered: false,
                items: [{ marker: '•', isDone: true, blocks: [text('two\nmore'), text('of two')] }],
              },
            ],
          },
        ],
      },
      {
        kind: 'list',
        isOrdered: true,
        items: [
          {
            marker: '3.',
            isDone: false,
            blocks: [text('three'), { kind: 'code', info: 'sh -x', text: '# no heading' }],
          },
        ],
      },
      { kind: 'heading', level: 3, outline: 2, text: 'Deep' },
      text('#no heading'),
    ])
  })

  test('tables, quotes and rules', () => {
    const plan = ['| a \\| b | c |', '|:--|--:|', '| `x|y` | 2 | extra |', '', '> - quoted', '> > twice', '***'].join(
      '\n',
    )
    expect(parseMarkdownBlocks(plan)).toMatchObject([
      { kind: 'table', header: ['a | b', 'c'], rows: [['`x|y`', '2', 'extra']] },
      {
        kind: 'quote',
        blocks: [
          { kind: 'list', items: [{ blocks: [{ text: 'quoted' }] }] },
          { kind: 'quote', blocks: [{ text: 'twice' }] },
        ],
      },
      { kind: 'rule' },
    ])
  })

  test.each([
    '<!-- rm -rf / -->',
    '![image](http://evil.example/x.png)',
    '<img src=x onerror=alert(1)>',
    '[ref]: http://evil.example "hidden"',
    '[run](javascript:alert(1))',
    '| no | table |',
    '-',
    '5)',
    '#',
    '[x](data:text/html,hello)',
  ])('%j stays as it is', (plan) => {
    expect(shownText(parseMarkdownBlocks(plan)).trim()).toBe(plan)
  })

  test.each(['```\nnever closed', '~~~~ info that is not hidden\ncode\n~~~\n~~~~', '```a`b'])(
    'nothing of %j is left out',
    (plan) => {
      const characters = (text: string): string => text.replaceAll(/[\s~`]/g, '')
      expect(characters(shownText(parseMarkdownBlocks(plan)))).toBe(characters(plan))
    },
  )

  test('whatever is written, each letter is shown, in order', () => {
    const piece = fc.constantFrom(...PIECES)
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const plan = pieces.join('')
        expect(letters(shownText(parseMarkdownBlocks(plan)))).toBe(letters(plan))
      }),
      { numRuns: 2000 },
    )
  })

  test('a plan of fences, of bullets or of marks only is parsed', () => {
    expect(parseMarkdownBlocks('```\n'.repeat(25_000))).toHaveLength(12_500)
    expect(parseMarkdownBlocks('- x\n'.repeat(25_000))).toMatchObject([{ items: { length: 25_000 } }])
    const nested = Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n')
    expect(letters(shownText(parseMarkdownBlocks(nested)))).toBe('x'.repeat(400))
    expect(letters(shownText(parseMarkdownBlocks('**a '.repeat(25_000))))).toBe('a'.repeat(25_000))
  })
})

describe('lines of a plan', () => {
  test('code, bold, italic and struck text', () => {
    expect(parseMarkdownSpans('a `**b**` **c *d*** \\*e\\* snake_case_name ~~f~~ __g__ 2 * 3 * 4')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: '**b**' },
      { kind: 'text', text: ' ' },
      {
        kind: 'bold',
        spans: [
          { kind: 'text', text: 'c ' },
          { kind: 'italic', spans: [{ kind: 'text', text: 'd' }] },
        ],
      },
      { kind: 'text', text: ' *e* snake_case_name ' },
      { kind: 'struck', spans: [{ kind: 'text', text: 'f' }] },
      { kind: 'text', text: ' ' },
      { kind: 'bold', spans: [{ kind: 'text', text: 'g' }] },
      { kind: 'text', text: ' 2 * 3 * 4' },
    ])
  })

  test('an image is its source', () => {
    const source = '![plan](https://x.example/p.png)'
    expect(parseMarkdownSpans(source)).toEqual([{ kind: 'text', text: source }])
  })

  test('a link shows where it leads; only pages can be opened', () => {
    expect(parseMarkdownSpans('[docs](https://good.example/a) https://x.example/b. (http://y.example)')).toEqual([
      { kind: 'link', spans: [{ kind: 'text', text: 'docs' }], href: 'https://good.example/a', showsHref: true },
      { kind: 'text', text: ' ' },
      {
        kind: 'link',
        spans: [{ kind: 'text', text: 'https://x.example/b' }],
        href: 'https://x.example/b',
        showsHref: false,
      },
      { kind: 'text', text: '. (' },
      {
        kind: 'link',
        spans: [{ kind: 'text', text: 'http://y.example' }],
        href: 'http://y.example',
        showsHref: false,
      },
      { kind: 'text', text: ')' },
    ])
    for (const source of ['[a](javascript:alert(1))', '[a](//evil.example)', '[a](vbscript:x)', '[a](http://)'])
      expect(parseMarkdownSpans(source)).toEqual([{ kind: 'text', text: source }])
  })
})
