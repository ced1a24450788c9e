import { expect, test } from 'vitest'

import { formatOutline } from './format-outline.js'

const heading = (level: number, title: string, line: number) => ({ level, title, line, id: title.replace(' ', '-') })

test('a long flat outline is thinned out evenly', () => {
  const many = Array.from({ length: 400 }, (_, at) => heading(2, `method ${at}`, at))
  const lines = formatOutline([heading(1, 'API', 0), ...many]).split('\n')
  expect(lines.length).toBeGreaterThan(30)
  expect(lines.join('\n').length).toBeLessThan(1600)
  expect(lines[0]).toBe('- API #API')
  expect(lines.at(-2)).toMatch(/^ {2}- method 39\d #method-39\d$/)
  expect(lines.at(-1)).toBe(`… and ${401 - (lines.length - 1)} more between these`)
})

test('deeper levels are counted if the upper levels suffice', () => {
  const parts = Array.from({ length: 10 }, (_, at) => [
    heading(2, `part ${at}`, at),
    ...Array.from({ length: 20 }, (_item, index) => heading(3, `detail ${index}`, at)),
  ]).flat()
  const lines = formatOutline(parts).split('\n')
  expect(lines).toHaveLength(11)
  expect(lines.at(-1)).toBe('… and 200 below these')
})
