// What a site's robots.txt means, by how it is answered for.

import { createServer } from 'node:http'

import { expect, onTestFinished, test } from 'vitest'

import { createWayOut } from '../../platform/way-out/create-way-out.js'
import { createRobots } from './robots.js'

interface Said {
  readonly status: number
  readonly text?: string
}

/** A site, and how often it was asked. */
async function siteWith(answers: readonly Said[]) {
  let asked = 0
  const server = createServer((_, response) => {
    const { status, text = '' } = answers[Math.min(asked++, answers.length - 1)] ?? { status: 500 }
    response.writeHead(status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const proxies = { fixed: 'off', http: '', https: '', bypass: '' }
  const wayOut = createWayOut({ allow: host, proxies, warn: () => {} })
  onTestFinished(async () => {
    await wayOut.close()
    await new Promise((resolve) => server.close(resolve))
  })
  const robots = createRobots(wayOut, {})
  const admit = (path: string) => robots.admit(`http://${host}${path}`, new AbortController().signal)
  return { admit, asked: () => asked }
}

test('what it forbids is refused, and it is asked once', async () => {
  const { admit, asked } = await siteWith([{ status: 200, text: 'User-agent: *\nDisallow: /private' }])
  await admit('/open')
  await expect(admit('/private/page')).rejects.toMatchObject({ problem: 'refused' })
  expect(asked()).toBe(1)
})

test('a site without one allows everything', async () => {
  const { admit } = await siteWith([{ status: 404, text: 'User-agent: *\nDisallow: /' }])
  await admit('/any')
})

test('a site that cannot say allows nothing', async () => {
  const { admit } = await siteWith([{ status: 503 }])
  await expect(admit('/any')).rejects.toThrow(/robots\.txt answered with status 503, which forbids everything/)
})
