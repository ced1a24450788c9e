// What it costs to look at a photograph of 48 million pixels: through the server, and by the library alone beside it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import sharp from 'sharp'

import { withShellServers } from './shell-client.mjs'
import { peakMebibytes, watchGrowth } from './system.mjs'

const TURNS = 15
const [WIDTH, HEIGHT] = [8000, 6000]
const LONG_EDGE = 1568

/** Soft shapes with a little noise, as a camera sees them. */
const photograph = () => {
  const [width, height] = [WIDTH / 10, HEIGHT / 10]
  const data = Buffer.alloc(width * height * 3)
  let seed = 1
  for (let at = 0; at < data.length; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    data[at] = (Math.floor(at / (width * 3)) % 200) + ((seed >> 16) & 31)
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .resize(WIDTH, HEIGHT)
    .jpeg({ quality: 88 })
    .toBuffer()
}

const alone = async (path) => {
  const startedAt = performance.now()
  await sharp(readFileSync(path), { sequentialRead: true })
    .resize(LONG_EDGE, LONG_EDGE, { fit: 'inside' })
    .jpeg({ quality: 82 })
    .toBuffer()
  return performance.now() - startedAt
}

export const imagesPhase = {
  name: 'images',
  subjects: ['server'],
  over: 'shell',
  async measure({ key, shell }, record) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-images-'))
    try {
      const path = join(folder, 'photograph.jpg')
      writeFileSync(path, await photograph())
      sharp.cache(false)
      await withShellServers([{ key, command: shell }], async ([client]) => {
        const look = async (more) => {
          const params = { name: 'ReadImage', arguments: { file_path: path, ...more } }
          const answer = await client.request('tools/call', params)
          const [image] = answer.result.content
          if (image.type !== 'image') throw new Error(`no image: ${image.text}`)
          return answer
        }
        const growth = watchGrowth(client.pid)
        record('imageFirst', (await look()).ms)
        for (let turn = 0; turn < TURNS; turn++) {
          record('imageAlone', await alone(path))
          const { ms, bytes } = await look()
          record('imageWarm', ms)
          record('imageReply', bytes / 1000)
          record('imagePart', (await look({ crop: [4000, 3000, 600, 400] })).ms)
        }
        const peak = growth.peak()
        if (peak !== null) record('imageGrowth', peak)
        const tree = peakMebibytes(client.pid)
        if (tree !== null) record('imageTree', tree)
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  full: { rounds: 3 },
  quick: { rounds: 1 },
}
