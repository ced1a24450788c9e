import fc from 'fast-check'
import { expect, test } from 'vitest'

import { redactDatabaseUrl, redactPassword } from './database-url.js'

test('redacts the password of a URL', () => {
  expect(redactDatabaseUrl('postgres://ann:s3cret@db.example.com:5433/app?sslmode=require')).toBe(
    'postgres://ann:****@db.example.com:5433/app?sslmode=require',
  )
  expect(redactDatabaseUrl('postgresql:///app?host=/run/postgresql&password=s3cret')).not.toContain('s3cret')
  const several = 'postgres://ann@h/app?sslpassword=s3cret&password=s3cret&password=s3cret'
  expect(redactDatabaseUrl(several)).not.toContain('s3cret')
  expect(redactPassword('s3cret', several)).toBe('****')
  expect(redactDatabaseUrl('postgres://localhost/app')).toBe('postgres://localhost/app')
})

test.each(['', 'app', 'mysql://u:p@h/d', '/srv/state.db', 'postgres', 'http://ann:s3cret@h/'])(
  '%j is no address of PostgreSQL',
  (address) => expect(redactDatabaseUrl(address)).toBeUndefined(),
)

test('redacts the password in texts, however it is encoded', () => {
  const password = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => text.isWellFormed() && text.trim() !== '')
  fc.assert(
    fc.property(password, (secret) => {
      const address = `postgres://ann:${encodeURIComponent(secret)}@localhost/app`
      const clean = redactPassword(`[${secret}] [${encodeURIComponent(secret)}]`, address)
      expect(clean.split('****').join('')).toMatch(/^\[\] \[\]$/)
    }),
  )
})
