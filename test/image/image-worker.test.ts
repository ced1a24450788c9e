// The processes that decode images: how many there are, when they end, and what happens without them or their packages.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import sharp from 'sharp'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

import {
  childrenOf,
  emptyFolder,
  HAS_PROC,
  isAlive,
  killServer,
  PROGRAM,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'
import { makeSamples } from './hostile-corpus.js'
import { pdf, svg } from './make.js'
import { openServer, readImage } from './support.js'

const folder = emptyFolder()
const write = (name: string, bytes: Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}
/** Takes the whole time limit. */
const slow = write('slow.svg', svg(`<path d="M0 0${' L9 9 L1 5'.repeat(300_000)}" stroke="red"/>`))
/** Hundredths of a second. */
const BUSY_TICKS = 20
const quick = write('quick.svg', svg('<rect width="9" height="9"/>'))

/** Waits for workers that have used the processor for a while. */
async function untilBusy({ child }: TestClient, count = 1): Promise<readonly number[]> {
  const pids = await eventually(
    () => childrenOf(child.pid),
    ({ length }) => length >= count,
  )
  await eventually(
    () => pids.map(userTicksOf),
    (ticks) => ticks.every((each) => each >= BUSY_TICKS),
  )
  return pids
}

function userTicksOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[11],
  )
}

describe.skipIf(!HAS_PROC)('an image worker', () => {
  test('starts with the first image, handles the next, and ends with the server', async () => {
    const client = await openServer()
    expect(childrenOf(client.child.pid)).toEqual([])
    await readImage(client, '/etc/passwd')
    expect(childrenOf(client.child.pid)).toEqual([])
    await readImage(client, quick)
    const [first] = childrenOf(client.child.pid)
    await readImage(client, quick)
    expect(childrenOf(client.child.pid)).toEqual([first])
    expect(await client.close()).toBe(0)
    await waitForExit(first ?? 0)
  })

  test('inherits no secrets', async () => {
    const client = await openServer({ env: { OWN_SECRET: 'canary-77', AWS_SECRET_ACCESS_KEY: 'canary-77' } })
    await readImage(client, quick)
    const [pid = 0] = childrenOf(client.child.pid)
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('canary-77')
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      const path = `/proc/${pid}/fd/${fd}`
      return existsSync(path) ? readlinkSync(path) : ''
    })
    expect(open.filter((target) => target.startsWith('/') && !target.startsWith('/dev/'))).toEqual([])
    expect(open.filter((target) => target.startsWith('socket:'))).toEqual([expect.anything()])
  })

  test('ends with a killed server, also during work', async () => {
    const client = await openServer()
    void readImage(client, slow).catch(() => {})
    const pids = await untilBusy(client)
    await killServer(client)
    await waitForExit(...pids)
  })

  test('ends when its call is cancelled, and the next image works', async () => {
    const client = await openServer()
    const params = { name: 'ReadImage', arguments: { file_path: slow } }
    client.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params })
    const pids = await untilBusy(client)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
    await waitForExit(...pids)
    // On a busy machine this may take longer than the 4 s limit of a drawing.
    await vi.waitFor(async () => expect(await readImage(client, quick)).toMatchObject({ isError: false }))
    expect(client.received.filter(({ id }) => id === 'slow')).toEqual([])
    expect(client.stderr()).toBe('')
  })

  test('there are at most two, and every call is answered', async () => {
    const client = await openServer()
    const looks = Array.from({ length: 20 }, () => readImage(client, quick))
    let most = 0
    const watching = setInterval(() => (most = Math.max(most, childrenOf(client.child.pid).length)), 5)
    const results = await Promise.all(looks)
    clearInterval(watching)
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(most).toBeLessThanOrEqual(2)
  })

  test('a killed worker is reported, and the next image works', async () => {
    const client = await openServer()
    const result = readImage(client, slow)
    const [pid = 0] = await untilBusy(client)
    process.kill(pid, 'SIGKILL')
    expect(await result).toMatchObject({ isError: true, text: expect.stringMatching(/crashed its decoder/) })
    // On a busy machine this may take longer than the 4 s limit of a drawing.
    await vi.waitFor(async () => expect(await readImage(client, quick)).toMatchObject({ isError: false }))
    expect(isAlive(client.child.pid ?? 0)).toBe(true)
  })

  test('while one is busy the server answers other calls', async () => {
    const client = await openServer()
    void readImage(client, slow).catch(() => {})
    await untilBusy(client)
    // On a busy machine this may take longer than the 4 s limit of a drawing.
    await vi.waitFor(async () => expect(await readImage(client, quick)).toMatchObject({ isError: false }))
  })
})

describe('without packages', () => {
  /** The program without npm packages except these. */
  async function bare(...packages: readonly string[]): Promise<TestClient> {
    const path = emptyFolder()
    cpSync(dirname(PROGRAM), join(path, 'dist'), { recursive: true })
    for (const name of packages) {
      mkdirSync(dirname(join(path, 'node_modules', name)), { recursive: true })
      symlinkSync(resolve(import.meta.dirname, '../../node_modules', name), join(path, 'node_modules', name))
    }
    const client = startServer({ args: [join(path, 'dist/scorpiox-code.js')] })
    onTestFinished(async () => void (await client.close()))
    await client.initialize('2025-11-25')
    return client
  }

  test('formats that every client supports are sent unchanged, and for others the message says what to install', async (context) => {
    skipIfMissing(context, MISSING.helplessness)
    const client = await bare()
    const { png, jpeg, gif, webp, avif, tiff } = await makeSamples()
    for (const [name, bytes] of Object.entries({ png, jpeg, gif, webp })) {
      const result = await readImage(client, write(`as-it-is.${name}`, bytes))
      expect(result.image, result.text).toMatchObject({ data: bytes.toString('base64'), mimeType: `image/${name}` })
      expect(result.structured).toMatchObject({ width: 160, height: 120, scale: 1 })
      expect(result.text).toContain('sharp is not installed')
      expect((await readImage(client, write('cut', bytes.subarray(0, bytes.length >> 1)))).text).toMatch(
        /damaged or truncated/,
      )
    }
    const install = /run `npm install sharp` where scorpiox-code is installed/
    for (const [name, bytes] of Object.entries({ avif, tiff, svg: svg(''), pdf: pdf(['']) }))
      expect((await readImage(client, write(`converted.${name}`, bytes))).text, name).toMatch(install)
    const wide = await sharp({ create: { width: 2500, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    expect((await readImage(client, write('wide.png', wide))).text).toMatch(install)
    expect((await readImage(client, write('long.png', Buffer.concat([png, Buffer.alloc(3_000_000)])))).text).toMatch(
      install,
    )
    expect((await readImage(client, write('part.png', png), { crop: [0, 0, 9, 9] })).text).toMatch(install)
  })

  test('HEIC and PDF report their packages', async () => {
    const client = await bare('sharp')
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')
    expect((await readImage(client, write('x.heic', heic))).text).toMatch(/run `npm install libheif-js`/)
    expect((await readImage(client, write('x.pdf', pdf([''])))).text).toMatch(/run `npm install @napi-rs\/canvas`/)
    expect((await readImage(client, write('x.png', (await makeSamples()).png))).isError).toBe(false)
  })
})
