// The processes that decode images are shared fairly: the queue of one user does not delay another, and has a bound.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { emptyFolder, type Json } from '../support/client.js'
import { type HttpServer, modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { svg } from './make.js'

const cwd = emptyFolder()
/** Takes the whole time limit. */
writeFileSync(join(cwd, 'slow.svg'), svg(`<path d="M0 0${' L9 9 L1 5'.repeat(300_000)}" stroke="red"/>`))
writeFileSync(join(cwd, 'quick.svg'), svg('<rect width="9" height="9"/>'))

async function serve(): Promise<{ server: HttpServer; ann: string; bob: string }> {
  const env = { STATE_DIR: emptyFolder(), SANDBOX: 'off', RATE_BURST: '2000' }
  const [ann, bob] = [tokenFor('ann', env), tokenFor('bob', env)]
  const server = await startProgram({ env, cwd })
  onTestFinished(async () => void (await server.stop()))
  return { server, ann, bob }
}

const read = async (server: HttpServer, token: string, name: string): Promise<Json> =>
  (await sendRequest(server, { ...modernCall('ReadImage', { file_path: join(cwd, name) }), token })).json.result

/** What is not answered ends with the server. */
async function stopWaitingFor(answers: readonly Promise<unknown>[], server: HttpServer): Promise<void> {
  const settled = Promise.allSettled(answers)
  await server.stop()
  await settled
}

test('a long queue of one user does not delay another user', async () => {
  const { server, ann, bob } = await serve()
  let answered = 0
  const queue = Array.from({ length: 8 }, () => read(server, ann, 'slow.svg').then(() => answered++))
  await read(server, bob, 'quick.svg')
  // Those that were being decoded come first; before, all but one did.
  expect(answered).toBeLessThanOrEqual(4)
  await stopWaitingFor(queue, server)
}, 180_000)

test('more than a hundred waiting images of one user are refused, and another user is served', async () => {
  const { server, ann, bob } = await serve()
  const slow = Array.from({ length: 2 }, () => read(server, ann, 'slow.svg'))
  const results = await Promise.all([
    ...Array.from({ length: 120 }, () => read(server, ann, 'quick.svg')),
    read(server, bob, 'quick.svg'),
  ])
  const isRefused = ({ content }: Json): boolean =>
    /quick\.svg was not read: 100 images of this user are waiting to be decoded, which is the limit; read it when they are done\./.test(
      content.at(-1).text,
    )
  const texts = results.map(({ content }) => content.at(-1).text)
  expect(results.filter(isRefused).length, texts.join('\n')).toBeGreaterThanOrEqual(15)
  expect(isRefused(results.at(-1))).toBe(false)
  await stopWaitingFor(slow, server)
}, 180_000)
