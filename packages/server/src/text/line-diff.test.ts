import { describe, expect, test } from 'vitest'

import { type DiffLine, diffLines, foldUnchanged } from './line-diff.js'

const format = (lines: readonly (DiffLine | undefined)[] = []): string =>
  lines.map((line) => (line ? `${line.mark}${line.text}` : '…')).join('|')

describe('differences between texts', () => {
  test.each([
    ['', '', ''],
    ['a\nb', 'a\nb', ' a| b'],
    ['a\nb\nc', 'a\nc', ' a|-b| c'],
    ['a\nc', 'a\nb\nc\n', ' a|+b| c'],
    ['a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
    ['a\nb', 'b\na', '-a| b|+a'],
    ['', 'a', '+a'],
    ['a\r\nb\rc', 'a\nb\nc', ' a| b| c'],
    ['a\na\na', 'a\na', ' a| a|-a'],
  ])('%j and %j', (before, after, expected) => {
    expect(format(diffLines(before, after))).toBe(expected)
  })

  test('both texts can be restored from the lines', () => {
    const words = 'the quick brown fox jumps over the lazy dog and runs away from the big bear'.split(' ')
    for (let seed = 1; seed <= 200; seed++) {
      const pick = (salt: number): string =>
        words.filter((_, index) => ((index + 3) * seed * salt * 2_654_435_761) % 7 > 2).join('\n')
      const [before, after] = [pick(1), pick(3)]
      const lines = diffLines(before, after) ?? []
      const text = (mark: string): string =>
        lines
          .filter((line) => line.mark === ' ' || line.mark === mark)
          .map((line) => line.text)
          .join('\n')
      expect([text('-'), text('+')]).toEqual([before, after])
    }
  })

  test('where too many lines differ, all of them are replaced', () => {
    const lines = (prefix: string): string => Array.from({ length: 2000 }, (_, at) => `${prefix}${at % 10}`).join('\n')
    const found = diffLines(`same\n${lines('a')}\nsame`, `same\n${lines('b')}\nsame`) ?? []
    expect(found).toHaveLength(4002)
    expect(found.at(0)?.mark).toBe(' ')
    expect(found.at(2000)?.mark).toBe('-')
    expect(found.at(2001)?.mark).toBe('+')
    expect(found.at(-1)?.mark).toBe(' ')
  })

  test('texts with very many lines are not compared', () => {
    expect(diffLines('\n'.repeat(1_000_000), 'x')).toBeUndefined()
  })
})

describe('unchanged lines', () => {
  test.each([
    ['1\n2\n3\n4\n5\n6\n7', '1\n2\n3\nx\n5\n6\n7', '…| 3|-4|+x| 5|…'],
    ['1\n2\n3', 'x\n2\n3', '-1|+x| 2|…'],
    ['1\n2\n3', '1\n2\n3', '…'],
    ['1\n2\n3\n4\n5', 'x\n2\n3\n4\ny', '-1|+x| 2|…| 4|-5|+y'],
  ])('%j and %j: far ones are omitted', (before, after, expected) => {
    expect(format(foldUnchanged(diffLines(before, after) ?? [], 1))).toBe(expected)
  })
})
