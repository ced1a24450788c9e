import { expect, test } from 'vitest'

import { parseModel, scoreRows } from './decision-trees.js'

const score = (text: string, ...row: number[]) => scoreRows(parseModel(text), [Float64Array.from(row)])[0]

test('a value equal to the threshold takes the false branch', () => {
  expect(score('0>1 -20 30', 1)).toBeCloseTo(-0.2)
  expect(score('0>1 -20 30', 1.01)).toBeCloseTo(0.3)
})

test('subtrees are in preorder, the false one first', () => {
  const tree = '0>0 1>0 10 20 1>5 30 2>-0.5 40 50'
  expect(score(tree, 0, 0, 0)).toBeCloseTo(0.1)
  expect(score(tree, 0, 1, 0)).toBeCloseTo(0.2)
  expect(score(tree, 1, 5, 0)).toBeCloseTo(0.3)
  expect(score(tree, 1, 6, -1)).toBeCloseTo(0.4)
  expect(score(tree, 1, 6, 0)).toBeCloseTo(0.5)
})

test('the values of all trees are added up; a tree may be one leaf', () => {
  expect(score('\n0>0 10 20\n5\n', 1)).toBeCloseTo(0.25)
})
