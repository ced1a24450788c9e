// Without storage of a browser, as when it is disabled: drafts are kept in memory.

import { afterEach, expect, test } from 'vitest'

import {
  clearDrafts,
  deleteDraft,
  findLostDrafts,
  markSending,
  readDraft,
  saveDraft,
  setDraftOwner,
} from './draft-store.js'

const draft = (key: string, typed = 'text') => ({ key, project: '/p', title: 'Which?', typed: [typed], form: { key } })
const lost = (...open: readonly string[]): readonly string[] => findLostDrafts(new Set(open)).map(({ key }) => key)

afterEach(() => {
  clearDrafts()
  setDraftOwner('')
})

test('the newest 40 are kept', () => {
  for (let number = 0; number < 45; number++) saveDraft(draft(`${number}`))
  expect(readDraft('4')).toBeUndefined()
  expect(readDraft('5')).toEqual({ key: '5' })
  expect(lost()).toHaveLength(40)
})

test('a draft is lost if its question is gone, it has text, and it is not being sent', () => {
  for (const key of ['open', 'gone', 'sent']) saveDraft(draft(key))
  saveDraft(draft('no text', '  '))
  const unmark = markSending('sent')
  expect(lost('open')).toEqual(['gone'])
  unmark()
  expect(lost('open')).toEqual(['gone', 'sent'])
  deleteDraft('gone')
  expect(lost('open')).toEqual(['sent'])
})

test('another user sees none of them', () => {
  setDraftOwner('ann')
  saveDraft(draft('question'))
  setDraftOwner('ann')
  expect(readDraft('question')).toEqual({ key: 'question' })
  setDraftOwner('bob')
  expect(readDraft('question')).toBeUndefined()
  expect(lost()).toEqual([])
})
