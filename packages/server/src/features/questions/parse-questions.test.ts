import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { parseAskRequest } from './parse-questions.js'

const EXAMPLE = '{"questions":[{"text":"Which database?","options":["SQLite","PostgreSQL"]}]}'

function refusal(input: unknown): string {
  try {
    parseAskRequest(input)
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    return (error as Failure).message
  }
  throw new Error(`it was taken: ${JSON.stringify(input)}`)
}

const options = (count: number): string[] => Array.from({ length: count }, (_, index) => `option ${index}`)
const plain = { text: 'Which?', header: null, multiple: false }
const ab = [
  { label: 'A', description: null },
  { label: 'B', description: null },
]

describe('a form', () => {
  test.each([
    ['as published', { questions: [{ text: 'Which?', options: ['A', 'B'] }] }],
    ['with question for text', { questions: [{ question: 'Which?', options: ['A', 'B'] }] }],
    ['with options that are objects', { questions: [{ text: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }] }],
    ['as a bare list', [{ text: 'Which?', options: ['A', 'B'] }]],
    ['as a single question', { question: 'Which?', options: ['A', 'B'] }],
    ['as a question in place of the list', { questions: { text: 'Which?', options: ['A', 'B'] } }],
    ['with an id', { id: 'db', text: 'Which?', options: ['A', 'B'] }],
    ['with space around it', { questions: [{ text: '  Which? \n', options: [' A', 'B\u0007 '] }] }],
  ])('%s', (_, input) => {
    const request = { kind: 'ask', questions: [{ ...plain, choices: ab }] }
    expect(parseAskRequest(JSON.stringify(input))).toEqual(request)
    expect(parseAskRequest(input)).toEqual(request)
    expect(parseAskRequest(JSON.stringify(JSON.stringify(input)))).toEqual(request)
  })

  test('with all members', () => {
    const question = {
      question: 'Two\nlines?',
      header: 'Database',
      options: [{ label: 'A', description: 'a file' }, 2],
      multiSelect: true,
    }
    expect(parseAskRequest({ questions: [question] })).toEqual({
      kind: 'ask',
      questions: [
        {
          text: 'Two\nlines?',
          header: 'Database',
          multiple: true,
          choices: [
            { label: 'A', description: 'a file' },
            { label: '2', description: null },
          ],
        },
      ],
    })
    expect(parseAskRequest([{ text: 'x', options: ['A', 'B'], multiple: 'true' }])).toMatchObject({
      questions: [{ multiple: true }],
    })
  })

  test('accepts at most 10 questions of 20 options', () => {
    const full = Array.from({ length: 10 }, () => ({ text: 'x'.repeat(2000), options: options(20) }))
    expect(parseAskRequest(full)).toMatchObject({ kind: 'ask', questions: { length: 10 } })
    expect(refusal([...full, full[0]])).toMatch(/There are 11 questions; at most 10 are allowed/)
    expect(refusal([{ text: 'x', options: options(21) }])).toMatch(/Question 1 has 21 options; at most 20 are allowed/)
  })
})

describe('rejects invalid input with an example', () => {
  test.each<[unknown, RegExp]>([
    ['', /empty/],
    ['   ', /empty/],
    ['hello', /not JSON: character 1 of 5 is unexpected, near hello/],
    ['{"questions":[{"text":"a","options":["A","B"]}]', /it ends too early, after character 47/],
    ['{"questions":[{"text":"a" "options":["A","B"]}]}', /character 27 of 48/],
    ['[[[[[[[[[[1]]]]]]]]]]', /nested deeper/],
    [`"${'x'.repeat(250_000)}"`, /250002 characters/],
    ['5', /must be a JSON object/],
    ['null', /must be a JSON object/],
    [undefined, /must be a JSON object/],
    ['[]', /no question/],
    ['{}', /"questions" is missing/],
    ['{"questions":[]}', /no question/],
    ['{"questions":"x"}', /"questions" must be a list/],
    ['{"questions":["x"]}', /Question 1 must be an object/],
    [{ questions: [{ options: ['A', 'B'] }] }, /Question 1 has no "text"/],
    [{ questions: [{ text: ' \n', options: ['A', 'B'] }] }, /Question 1 has no "text"/],
    [{ questions: [{ text: 5, options: ['A', 'B'] }] }, /must be text/],
    [{ questions: [{ text: 'x' }] }, /Question 1 has no "options"/],
    [{ questions: [{ text: 'x', options: [] }] }, /Question 1 has no "options"/],
    [{ questions: [{ text: 'x', options: 'A' }] }, /Question 1 has no "options"/],
    [{ questions: [{ text: 'x', options: ['A'] }] }, /1 option; at least 2 are required/],
    [{ questions: [{ text: 'x', options: ['A', 'A '] }] }, /the option "A" twice/],
    [{ questions: [{ text: 'x', options: ['A', ''] }] }, /no label in option 2 of question 1/],
    [{ questions: [{ text: 'x', options: ['A', { name: 'B' }] }] }, /no label in option 2 of question 1/],
    [{ questions: [{ text: 'x', options: ['A', ['B']] }] }, /must be text/],
    [{ questions: [{ text: 'x'.repeat(2001), options: ['A', 'B'] }] }, /2001 characters; at most 2000/],
    [{ questions: [{ text: 'x', options: ['A', 'B'.repeat(201)] }] }, /201 characters; at most 200/],
    [{ questions: [{ text: 'x', header: 'h'.repeat(101), options: ['A', 'B'] }] }, /header of question 1 has 101/],
    [{ questions: [{ text: 'x', options: ['A', 'B'], multiSelect: 'perhaps' }] }, /must be true or false/],
    ['{"id":0}', /"id" must be the number/],
    ['{"id":"x","answers":[]}', /"id" must be the number/],
    ['{"id":1.5,"answers":[]}', /"id" must be the number/],
  ])('%j', (input, pattern) => {
    const message = refusal(input)
    expect(message).toMatch(pattern)
    expect(message).toContain(EXAMPLE)
    expect(message.length).toBeLessThan(1000)
  })

  test('names the position of an invalid question', () => {
    expect(
      refusal([
        { text: 'x', options: ['A', 'B'] },
        { text: 'y', options: ['A'] },
      ]),
    ).toMatch(/Question 2/)
  })
})

test('an answer to a question asked before', () => {
  expect(parseAskRequest('{"id":7,"answers":["A"]}')).toEqual({ kind: 'answer', id: 7, answers: ['A'] })
  expect(parseAskRequest({ id: '7', answer: 'A' })).toEqual({ kind: 'answer', id: 7, answers: 'A' })
  expect(parseAskRequest('{"id":"#12"}')).toEqual({ kind: 'answer', id: 12, answers: undefined })
})

test('any input is parsed or rejected with a message', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(3000)))
  const option = fc.oneof(text, fc.anything(), fc.record({ label: text, description: fc.option(text) }))
  const question = fc.oneof(
    fc.anything(),
    fc.record(
      { text, question: text, header: text, options: fc.array(option), multiSelect: fc.anything() },
      { requiredKeys: ['text', 'options'] },
    ),
  )
  const form = fc.oneof(fc.record({ questions: fc.array(question) }), fc.array(question), question)
  const input = fc.oneof(
    form,
    form.map((value) => JSON.stringify(value)),
    fc.json(),
    text,
  )
  fc.assert(
    fc.property(input, (value) => {
      try {
        const request = parseAskRequest(value)
        if (request.kind === 'answer') return
        for (const { text: message, choices } of request.questions) {
          expect([message.trim() === message, message.length > 0, message.isWellFormed()]).toEqual([true, true, true])
          expect([...new Set(choices.map(({ label }) => label))]).toEqual(choices.map(({ label }) => label))
          expect(choices.filter(({ label }) => !/^[^\p{Cc}]+$/u.test(label))).toEqual([])
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
      }
    }),
    { numRuns: 1000 },
  )
})
