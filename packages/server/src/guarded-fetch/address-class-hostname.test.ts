import { expect, test } from 'vitest'

import { classifyHostname } from './address-class.js'

test.each([
  'localhost',
  'a.localhost',
  'printer.local',
  'db.internal',
  'router.home.arpa',
  'nas.lan',
  'build.corp',
  'x.localdomain',
  'api.default.svc',
  'api.default.svc.cluster.local',
  'abc.onion',
])('%s is private', (name) => expect(classifyHostname(name)).toBe('private'))

test.each(['metadata.google.internal', 'metadata', 'metadata.goog', 'instance-data', 'metadata.tencentyun.com'])(
  '%s belongs to a cloud',
  (name) => expect(classifyHostname(name)).toBe('metadata'),
)

test.each([
  'example.com',
  'localhost.example.com',
  'local.example.com',
  'mylocalhost',
  'internal.com',
  'notlocal',
  'arpa',
  'lan.example.org',
  'xn--mnchen-3ya.de',
])('%s is not classified by name', (name) => expect(classifyHostname(name)).toBe('public'))
