// A pending message is delivered once, over one channel, and again if the delivery failed.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { MessageRow } from '../../store/state/message-rows.js'
import { createWaitingMail, type WaitingMail } from './waiting-mail.js'

const WHO = { user: 'ann', session: 'one' }

function row(id: number, text = `message ${id}`, session = WHO.session): MessageRow {
  return { id, session, kind: 'callback', text, createdAt: id, file: null }
}

function mailWith(messages: readonly MessageRow[], isRead: (id: number) => boolean = () => false) {
  const delivered: number[] = []
  const mail = createWaitingMail({
    mayRead: ({ session }, to) => session === to,
    claim: (_, { id }) => !isRead(id),
    onDelivered: (_, rows) => delivered.push(...rows.map(({ id }) => id)),
    onReturned: () => {},
  })
  mail.know(WHO.user, messages)
  return { mail, delivered }
}

/** Takes and delivers batches until nothing is pending. */
function tellAll(mail: WaitingMail): readonly string[] {
  const texts: string[] = []
  for (let parcel = mail.take(WHO); parcel; parcel = mail.take(WHO)) {
    texts.push(parcel.text)
    parcel.delivered()
  }
  return texts
}

test('what was not written is told again, what was is not, whatever is read anew meanwhile', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('written', 'lost', 'read anew')),
      fc.integer({ min: 1, max: 5 }),
      (story, count) => {
        const rows = Array.from({ length: count }, (_, index) => row(index + 1))
        const { mail, delivered } = mailWith(rows)
        for (const event of story) {
          if (event === 'read anew') expect(mail.know(WHO.user, rows)).toEqual([])
          else if (event === 'lost') mail.take(WHO)?.returned()
          else mail.take(WHO)?.delivered()
        }
        tellAll(mail)
        expect(delivered).toEqual(rows.map(({ id }) => id))
        expect(mail.isMoving).toBe(false)
      },
    ),
  )
})

test('what is on its way goes by no other way, and comes back when it did not arrive', () => {
  const { mail } = mailWith([row(1), row(2)])
  expect(mail.send(WHO.user, 1)).toBe(true)
  expect(mail.send(WHO.user, 1)).toBe(false)
  const parcel = mail.take(WHO)
  expect([parcel?.text, mail.take(WHO), mail.isMoving]).toEqual(['message 2', undefined, true])
  parcel?.returned()
  mail.settle(WHO.user, 1, false)
  expect([mail.isMoving, mail.isWaiting(WHO.user, 1)]).toEqual([false, true])
  expect(mail.take(WHO)?.text).toBe('message 1\n\nmessage 2')
})

test('is for one session of one user, and what was read elsewhere is told to nobody', () => {
  const { mail, delivered } = mailWith([row(1), row(2, 'of another', 'two'), row(3)], (id) => id === 1)
  expect(mail.take({ user: 'bob', session: WHO.session })).toBeUndefined()
  expect(tellAll(mail)).toEqual(['message 3'])
  expect(delivered).toEqual([3])
})

test('as many come together as fit; one that does not fit goes alone', () => {
  const { mail } = mailWith([row(1), row(2, 'x'.repeat(9000)), row(3), row(4)])
  expect(tellAll(mail).map(({ length }) => length)).toEqual([9, 9000, 20])
})
