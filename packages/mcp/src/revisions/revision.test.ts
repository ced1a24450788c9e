import { expect, test } from 'vitest'

import { isLegacyRevision, negotiateRevision, SUPPORTED_REVISIONS } from './revision.js'

test('all revisions are supported, newest first', () => {
  expect(SUPPORTED_REVISIONS).toEqual(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
})

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('%s is negotiated as requested', (revision) => {
  expect(isLegacyRevision(revision)).toBe(true)
  expect(negotiateRevision(revision)).toBe(revision)
})

test.each(['2026-07-28', '2023-01-01', '', undefined, 5])(
  '%s is answered with the newest legacy revision',
  (revision) => {
    expect(isLegacyRevision(revision)).toBe(false)
    expect(negotiateRevision(revision)).toBe('2025-11-25')
  },
)
