import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { FormQuestion } from '@scorpiox/server/question-form'
import { type AnswerDraft, chooseOption, chooseOther, EMPTY_DRAFT, setOtherText, toReply } from './answer-draft.js'

const question = (multiple: boolean): FormQuestion => ({
  text: 'Which?',
  header: null,
  multiple,
  choices: ['a', 'b', 'c'].map((label) => ({ label, description: null })),
})

const step = fc.oneof(
  fc.record({ choice: fc.nat(2), isOn: fc.boolean() }),
  fc.record({ other: fc.boolean() }),
  fc.record({ text: fc.constantFrom('', '  ', 'mine') }),
)

test('nothing is preselected', () => {
  expect(toReply(EMPTY_DRAFT, question(false))).toBeUndefined()
  expect(toReply(EMPTY_DRAFT, question(true))).toBeUndefined()
})

test('after any clicks: one answer to a single choice, and no empty answer', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 12 }), (multiple, steps) => {
      const asked = question(multiple)
      const draft = steps.reduce<AnswerDraft>((before, taken) => {
        if ('choice' in taken) return chooseOption(before, asked, taken.choice, taken.isOn)
        if ('other' in taken) return chooseOther(before, asked, taken.other)
        return setOtherText(before, asked, taken.text)
      }, EMPTY_DRAFT)
      const reply = toReply(draft, asked)
      if (reply === undefined) return
      expect([...new Set(reply.selected)]).toEqual(reply.selected)
      expect(reply.selected.filter((text) => !['a', 'b', 'c', 'mine'].includes(text))).toEqual([])
      expect(reply.selected).not.toEqual([])
      if (!multiple) expect(reply.selected).toHaveLength(1)
    }),
  )
})

test('free text is kept, without surrounding white space', () => {
  const asked = question(false)
  expect(
    toReply(setOtherText(chooseOption(EMPTY_DRAFT, asked, 1, true), asked, ' <b>أ</b> '), asked)?.selected,
  ).toEqual(['<b>أ</b>'])
})
