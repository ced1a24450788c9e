import { describe, expect, test } from 'vitest'

import { parseMarkdownBlocks, splitInline } from './markdown-blocks.js'

describe('blocks of a plan', () => {
  test('headings, lists, checklists, code and text', () => {
    const plan = [
      '# Title',
      'Text',
      'goes on.',
      '',
      '- one',
      '  - [x] two',
      '    more',
      '3. [ ] three',
      '```sh -x',
      '# no heading',
      '```',
      '#no heading',
    ].join('\n')
    expect(parseMarkdownBlocks(plan)).toEqual([
      { kind: 'heading', level: 1, text: 'Title' },
      { kind: 'text', text: 'Text\ngoes on.' },
      { kind: 'item', depth: 0, marker: '•', isDone: undefined, text: 'one' },
      { kind: 'item', depth: 1, marker: '•', isDone: true, text: 'two\nmore' },
      { kind: 'item', depth: 0, marker: '3.', isDone: false, text: 'three' },
      { kind: 'code', info: 'sh -x', text: '# no heading' },
      { kind: 'text', text: '#no heading' },
    ])
  })

  test.each([
    '<!-- rm -rf / -->',
    '[link](http://evil.example)',
    '![image](http://evil.example/x.png)',
    '<img src=x onerror=alert(1)>',
    '| a | b |\n|---|---|',
    '> quoted',
    '---',
    '[ref]: http://evil.example "hidden"',
    '```\nnever closed',
    '~~~~ info that is not hidden\ncode\n~~~\n~~~~',
    '```a`b',
  ])('nothing of %j is left out', (plan) => {
    const shown = parseMarkdownBlocks(plan)
      .map((block) => (block.kind === 'code' ? `${block.info} ${block.text}` : block.text))
      .join(' ')
    const characters = (text: string): string => text.replaceAll(/[\s~`]/g, '')
    expect(characters(shown)).toBe(characters(plan))
  })

  test('inline code and strong text keep their characters', () => {
    expect(splitInline('a `b` **c** `d')).toEqual(['a ', '`b`', ' ', '**c**', ' `d'])
    expect(splitInline('a `**b**` c').join('')).toBe('a `**b**` c')
  })

  test('a plan of fences only is parsed quickly', () => {
    expect(parseMarkdownBlocks('```\n'.repeat(50_000))).toHaveLength(25_000)
  })
})
