// Relevance in several languages and with inflected words.

import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../../test/support/load.js'
import type { SearchHit } from './engine-kit/search-hit.js'
import { parseQuery } from './query.js'
import { findRelevanceProblem, queryCoverage } from './relevance.js'

const titled = (title: string): SearchHit => ({ title, snippet: '', url: 'https://example.org/x', date: null })

test.each([
  ['running shoes', 'Best shoe to run in', 'Run faster'],
  ['how to delete branches', 'Deleting a branch', 'Branch deleted'],
  ['colour picker', 'Pick a color', 'Color pickers'],
  ['resume', 'Résumé templates', 'How to write a résumé'],
  ['bücher über städte', 'Buch über Stadt', 'Stadtbücher'],
  ['IKEA İstanbul', 'ikea istanbul', 'İkea'],
  ['日本の首都', '東京は日本の首都である', '首都 (日本)'],
  ['如何学习编程', '编程入门教程', '怎么学编程'],
  ['서울의 날씨', '서울 날씨 예보', '기상청 서울'],
  ['파이썬에서 리스트를 정렬하는 방법', '파이썬 리스트 정렬', 'Python 리스트 sort() 정리'],
  ['الكتب العربية', 'كتب عربية', 'تحميل كتب'],
  ['كيف أتعلم البرمجة', 'تعلم البرمجة من الصفر', 'دورة برمجة'],
  ['купить книгу в москве', 'Книги', 'Книжный магазин Москвы'],
  ['วิธีทำอาหาร', 'สูตรอาหารไทย', 'วิธีทำอาหารง่ายๆ'],
  ['TypeError: x is not a function', 'Fixing "is not a function" errors', 'JavaScript functions'],
  ['https://github.com/foo/bar', 'foo/bar on GitHub', 'bar by foo'],
])('%s is relevant to these', (text, ...titles) => {
  const query = parseQuery(text)
  for (const title of titles) expect(queryCoverage(titled(title), query), title).toBeGreaterThan(0)
})

test('words with a common prefix only, or other words, are not relevant', () => {
  const query = parseQuery('rust async book')
  const irrelevantHits = ['HTML Tutorial', 'CSS Tutorial', 'SQL Tutorial', 'Trust me', 'Asylum'].map(titled)
  expect(findRelevanceProblem(irrelevantHits.slice(0, 3), query, false)).toBe('off-topic')
  expect(queryCoverage(titled('Contrast'), parseQuery('contract law'))).toBe(0)
})

test('a query of two thousand characters is checked within a second', () => {
  const words = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ')
  const query = parseQuery(words.slice(0, 2000))
  const hits = Array.from({ length: 330 }, (_, at) => ({
    ...titled(`word${at} other`),
    snippet: words.slice(at, at + 300),
  }))
  const cpuMs = startCpuClock()
  expect(findRelevanceProblem(hits, query, true)).toBeUndefined()
  expect(cpuMs()).toBeLessThan(1000)
})
