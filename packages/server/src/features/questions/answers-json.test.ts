// Replies in and out: passed on by a model, submitted in a client form, given on the console.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import type { FormQuestion, QuestionReply } from '../../calls/question-form.js'
import { validateReplies } from './answer-question.js'
import { formatAnswersJson, parseAnswers } from './answers-json.js'
import { buildClientForm, parseClientForm } from './client-form.js'

function question(labels: readonly string[], multiple = false): FormQuestion {
  return { text: 'Which?', header: null, choices: labels.map((label) => ({ label, description: null })), multiple }
}

const single = question(['Red', 'Green', 'Blue'])
const several = question(['Red', 'Green', 'Blue'], true)
const answered = (...selected: string[]): QuestionReply => ({ outcome: 'answered', selected })
const declined: QuestionReply = { outcome: 'declined', selected: [] }

describe('answers passed on by a model', () => {
  test.each<[readonly FormQuestion[], unknown, readonly QuestionReply[]]>([
    [[single], ['Red'], [answered('Red')]],
    [[single], 'Red', [answered('Red')]],
    [[single], ['red '], [answered('Red')]],
    [[single], ['2'], [answered('Green')]],
    [[single], [3], [answered('Blue')]],
    [[single], ['4'], [answered('4')]],
    [[single], ['a warm one'], [answered('a warm one')]],
    [[single], [null], [declined]],
    [[single], null, [declined]],
    [[single], [[]], [declined]],
    [[single], [['Red']], [answered('Red')]],
    [[several], [['Red', '3']], [answered('Red', 'Blue')]],
    [[several], ['Red', 'Blue'], [answered('Red', 'Blue')]],
    [[several], ['1, 3'], [answered('Red', 'Blue')]],
    [[several], ['Red, but pale'], [answered('Red, but pale')]],
    [[several], [['Red', 'Red', '1']], [answered('Red')]],
    [
      [single, several],
      ['Red', ['Green', 'x']],
      [answered('Red'), answered('Green', 'x')],
    ],
    [
      [single, several],
      [
        { question: 2, selected: ['Green'] },
        { question: 1, selected: 'Blue' },
      ],
      [answered('Blue'), answered('Green')],
    ],
    [[single], [{ question: 'Which?', selected: 'Blue' }], [answered('Blue')]],
    [[single], [{ question: '1', answer: 'Blue' }], [answered('Blue')]],
    [[single], [{ question: 1, outcome: 'declined' }], [declined]],
    [[single], [{ question: 1, selected: null }], [declined]],
    // A number is not a position if the options are numbers.
    [[question(['10', '20', '30'])], ['20'], [answered('20')]],
    [[question(['10', '20', '30'])], ['2'], [answered('2')]],
    // Options that differ only in case are matched exactly or not at all.
    [[question(['a', 'A'])], ['A'], [answered('A')]],
    [[question(['äb', 'ÄB'])], ['äB'], [answered('äB')]],
  ])('%# %j', (questions, answers, replies) => {
    expect(validateReplies(questions, parseAnswers(questions, answers))).toEqual(replies)
  })

  test.each<[readonly FormQuestion[], unknown, RegExp]>([
    [[single, several], ['Red'], /one entry for each of the 2 question\(s\), in their order; it has 1/],
    [[single], [], /it has 0/],
    [[single, several], ['Red', 'Red', 'Red'], /it has 3/],
    [[single], ['Red', 'Green'], /takes one choice; 2 were made/],
    [[single], [['Red', 'Green']], /takes one choice; 2 were made/],
    [[several], [['x', 'y']], /2 texts that are not options/],
    [[single], [true], /must be an option/],
    [[single], [' '], /has no choice and no text/],
    [[single], ['…'], /of the example/],
    [[single], ['x'.repeat(4001)], /4001 characters/],
    [[single], [{ question: 2, selected: 'Red' }], /There is no question 2/],
    [[single, several], [{ question: 1, selected: 'Red' }], /Question 2 has no answer/],
    [
      [single],
      [
        { question: 1, selected: 'Red' },
        { question: 1, selected: 'Blue' },
      ],
      /two answers/,
    ],
  ])('%# rejects %j', (questions, answers, message) => {
    const read = (): unknown => validateReplies(questions, parseAnswers(questions, answers))
    expect(read).toThrow(Failure)
    expect(read).toThrow(message)
  })

  test('any input is parsed or rejected with a message, and choices are offered ones', () => {
    const answer = fc.oneof(fc.anything(), fc.constantFrom('Red', '2', 2, ['Red', 'Blue'], null))
    fc.assert(
      fc.property(
        fc.constantFrom([single], [several], [single, several]),
        fc.oneof(answer, fc.array(answer)),
        (questions, answers) => {
          try {
            const replies = validateReplies(questions, parseAnswers(questions, answers))
            expect(replies).toHaveLength(questions.length)
            for (const { outcome, selected } of replies) expect(selected.length > 0).toBe(outcome === 'answered')
          } catch (error) {
            expect(error).toBeInstanceOf(Failure)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('replies of a console', () => {
  test.each<[readonly QuestionReply[], RegExp]>([
    [[], /one reply for each/],
    [[answered('Red'), answered('Red')], /one reply for each/],
    [[answered()], /has no choice and no text/],
    [[answered('', ' ')], /has no choice and no text/],
    [[answered('Red', 'Blue')], /takes one choice/],
    [[answered('one', 'two')], /at most one is allowed/],
  ])('%# is rejected', (replies, message) => {
    expect(() => validateReplies([single], replies)).toThrow(message)
  })

  test('choices keep the offered order without duplicates, free text last', () => {
    expect(validateReplies([several], [answered('pale', 'Blue', 'Red', 'Blue')])).toEqual([
      answered('Red', 'Blue', 'pale'),
    ])
    expect(validateReplies([single], [{ outcome: 'declined', selected: ['Red'] }])).toEqual([declined])
  })
})

describe('the form for a client', () => {
  test('has an optional field per question and one for free text', () => {
    const described: FormQuestion = {
      ...several,
      choices: [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: null },
      ],
    }
    const { message, schema } = buildClientForm([single, described])
    expect(message).toBe('1. Which?\n2. Which?')
    expect(schema).toEqual({
      type: 'object',
      properties: {
        question_1: { type: 'string', enum: ['Red', 'Green', 'Blue'], title: '1. Which?' },
        question_2: {
          type: 'array',
          title: '2. Which?',
          description: 'Several can be chosen',
          items: {
            anyOf: [
              { const: 'Red', title: 'Red: warm' },
              { const: 'Blue', title: 'Blue' },
            ],
          },
        },
        question_other: { type: 'string', title: 'Your own answer', description: expect.any(String), maxLength: 4000 },
      },
    })
  })

  test.each<[unknown, readonly QuestionReply[] | undefined]>([
    [{ question_1: 'Red', question_2: ['Blue', 'Red'] }, [answered('Red'), answered('Red', 'Blue')]],
    [{ question_1: 'Red' }, [answered('Red'), declined]],
    [{ question_1: 'Red', question_other: 'none of these' }, [answered('Red'), answered('none of these')]],
    [
      { question_1: 'Red', question_2: ['Red'], question_other: 'soon' },
      [answered('Red', 'soon'), answered('Red', 'soon')],
    ],
    [{ question_other: 'as you like' }, [answered('as you like'), answered('as you like')]],
    [{ question_1: 'Purple' }, undefined],
    [{ question_2: [], question_other: ' ' }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('%j', (content, replies) => {
    expect(parseClientForm([single, several], content)).toEqual(replies)
  })
})

test('formats the documented JSON, in which a missing answer does not look like an answer', () => {
  const replies = [answered('Red', 'but pale'), answered('own'), declined, answered('Red', 'Blue')]
  expect(JSON.parse(formatAnswersJson([single, several, single, several], replies))).toEqual({
    answers: [
      { question: 'Which?', selected: 'Red', comment: 'but pale' },
      { question: 'Which?', selected: ['own'] },
      { question: 'Which?', selected: null, outcome: 'declined' },
      { question: 'Which?', selected: ['Red', 'Blue'] },
    ],
  })
})
