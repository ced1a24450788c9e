// robots.txt by the response of the site: rules, missing, server error.

import { createServer } from 'node:http'

import { expect, onTestFinished, test } from 'vitest'

import { createGuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import { createRobotsPolicy } from './robots-policy.js'

interface RobotsResponse {
  readonly status: number
  readonly text?: string
}

/** Starts a site with these responses; `requests` counts them. */
async function startSite(responses: readonly RobotsResponse[]) {
  let requests = 0
  const server = createServer((_, response) => {
    const { status, text = '' } = responses[Math.min(requests++, responses.length - 1)] ?? { status: 500 }
    response.writeHead(status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const proxies = { override: 'off', http: '', https: '', bypass: '' }
  const guardedFetch = createGuardedFetch({ allow: host, proxies, warn: () => {} })
  onTestFinished(async () => {
    await guardedFetch.close()
    await new Promise((resolve) => server.close(resolve))
  })
  const robots = createRobotsPolicy(guardedFetch, {})
  const admit = (path: string) => robots.assertAllowed(`http://${host}${path}`, new AbortController().signal)
  return { admit, requests: () => requests }
}

test('refuses disallowed paths and fetches robots.txt once', async () => {
  const { admit, requests } = await startSite([{ status: 200, text: 'User-agent: *\nDisallow: /private' }])
  await admit('/open')
  await expect(admit('/private/page')).rejects.toMatchObject({ kind: 'refused' })
  expect(requests()).toBe(1)
})

test('a site without robots.txt allows everything', async () => {
  const { admit } = await startSite([{ status: 404, text: 'User-agent: *\nDisallow: /' }])
  await admit('/any')
})

test('a site whose robots.txt fails allows nothing', async () => {
  const { admit } = await startSite([{ status: 503 }])
  await expect(admit('/any')).rejects.toThrow(/robots\.txt answered with status 503, which disallows everything/)
})
