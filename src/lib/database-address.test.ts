import fc from 'fast-check'
import { expect, test } from 'vitest'

import { shownAddress, withoutPassword } from './database-address.js'

test('redacts the password of a URL', () => {
  expect(shownAddress('postgres://ann:s3cret@db.example.com:5433/app?sslmode=require')).toBe(
    'postgres://ann:****@db.example.com:5433/app?sslmode=require',
  )
  expect(shownAddress('postgresql:///app?host=/run/postgresql&password=s3cret')).not.toContain('s3cret')
  const several = 'postgres://ann@h/app?sslpassword=s3cret&password=s3cret&password=s3cret'
  expect(shownAddress(several)).not.toContain('s3cret')
  expect(withoutPassword('s3cret', several)).toBe('****')
  expect(shownAddress('postgres://localhost/app')).toBe('postgres://localhost/app')
})

test.each(['', 'app', 'mysql://u:p@h/d', '/srv/state.db', 'postgres', 'http://ann:s3cret@h/'])(
  '%j is no address of PostgreSQL',
  (address) => expect(shownAddress(address)).toBeUndefined(),
)

test('redacts the password in texts, however it is encoded', () => {
  const password = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => text.isWellFormed() && text.trim() !== '')
  fc.assert(
    fc.property(password, (secret) => {
      const address = `postgres://ann:${encodeURIComponent(secret)}@localhost/app`
      const clean = withoutPassword(`[${secret}] [${encodeURIComponent(secret)}]`, address)
      expect(clean.split('****').join('')).toMatch(/^\[\] \[\]$/)
    }),
  )
})
