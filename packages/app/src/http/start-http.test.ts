import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createHostPolicy } from '@scorpiox/mcp/http/host-policy'
import { checkSameOrigin } from './start-http.js'

const local = createHostPolicy({ listenHost: '127.0.0.1', publicUrl: '', allowedHosts: [] })
const behind = createHostPolicy({ listenHost: '127.0.0.1', publicUrl: '', allowedHosts: ['board.example.com'] })
const here = { isSecure: false, publicOrigin: '', policy: local }

test('allows the own page, and clients that are not browsers', () => {
  const host = '127.0.0.1:8808'
  expect(checkSameOrigin({ host }, here)).toBeUndefined()
  expect(checkSameOrigin({ host, origin: `http://${host}` }, here)).toBeUndefined()
  expect(checkSameOrigin({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, here)).toBeUndefined()
  expect(checkSameOrigin({ host, 'sec-fetch-site': 'none' }, here)).toBeUndefined()
  expect(checkSameOrigin({ host, origin: `https://${host}` }, { ...here, isSecure: true })).toBeUndefined()
})

test('allows the public URL and an allowed name behind a proxy', () => {
  const open = { ...here, publicOrigin: 'https://mcp.example.com' }
  expect(checkSameOrigin({ host: 'mcp.example.com', origin: 'https://mcp.example.com' }, open)).toBeUndefined()
  const proxied = { ...here, policy: behind }
  expect(checkSameOrigin({ host: 'board.example.com', origin: 'https://board.example.com' }, proxied)).toBeUndefined()
  expect(checkSameOrigin({ host: '127.0.0.1', origin: 'https://board.example.com' }, proxied)).toBeDefined()
})

test('refuses every other origin', () => {
  const host = '127.0.0.1:8808'
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webAuthority()), (origin) => {
      fc.pre(origin !== `http://${host}`)
      expect(checkSameOrigin({ host, origin }, here)).toMatchObject({ status: 403 })
    }),
  )
  expect(checkSameOrigin({ host, origin: 'http://' }, here)).toBeDefined()
  expect(checkSameOrigin({ origin: 'http://' }, here)).toBeDefined()
})
