// The image sent to the model shows what the file shows: orientation, colours, crop.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, test, vi } from 'vitest'

import { emptyFolder, startServer, type TestClient } from '../support/client.js'
import { heic } from './make-heic.js'
import { pdf, svg } from './make.js'
import { decodeImage, isNear, readImage } from './support.js'

const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]

/** The same four colours in YCbCr. */
const HEIC = heic([
  [81, 90, 240],
  [145, 54, 34],
  [41, 240, 110],
  [235, 128, 128],
])

const folder = emptyFolder()
let client: TestClient

beforeAll(async () => {
  client = startServer()
  await client.initialize('2025-11-25')
  return async () => void (await client.close())
})

let written = 0
async function file(image: Sharp | Buffer, ending = '.png'): Promise<string> {
  const path = join(folder, `${++written}${ending}`)
  writeFileSync(path, Buffer.isBuffer(image) ? image : await image.toBuffer())
  return path
}

/** Its upper left quarter is red, its upper right one green, the lower ones blue and white. */
function quarters(width: number, height: number): Sharp {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = y < height / 2 ? (x < width / 2 ? RED : GREEN) : x < width / 2 ? BLUE : WHITE
      data.set(colour, (y * width + x) * 3)
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
}

async function expectQuarters(path: string, size?: { width: number; height: number }, more = {}): Promise<void> {
  const image = await decodeImage(await readImage(client, path, more))
  if (size) expect({ width: image.width, height: image.height }).toEqual(size)
  const corners = [
    image.at(3, 3),
    image.at(image.width - 4, 3),
    image.at(3, image.height - 4),
    image.at(image.width - 4, image.height - 4),
  ]
  expect(corners.map((corner, index) => isNear(corner, [RED, GREEN, BLUE, WHITE][index] ?? []))).toEqual([
    true,
    true,
    true,
    true,
  ])
}

describe('orientation', () => {
  // The transformation of the upright image that the orientation reverts.
  const STORED: readonly ((image: Sharp) => Promise<Buffer>)[] = [
    (image) => image.png().toBuffer(),
    (image) => image.flop().png().toBuffer(),
    (image) => image.rotate(180).png().toBuffer(),
    (image) => image.flip().png().toBuffer(),
    async (image) =>
      sharp(await image.rotate(90).png().toBuffer())
        .flop()
        .png()
        .toBuffer(),
    (image) => image.rotate(270).png().toBuffer(),
    async (image) =>
      sharp(await image.rotate(270).png().toBuffer())
        .flop()
        .png()
        .toBuffer(),
    (image) => image.rotate(90).png().toBuffer(),
  ]

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('%i is undone', async (orientation) => {
    const upright = await quarters(120, 80).png().toBuffer()
    const stored = sharp(await STORED[orientation - 1]!(sharp(upright)))
    const path = await file(
      stored.withMetadata({ orientation }).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }),
      '.jpg',
    )
    await expectQuarters(path, { width: 120, height: 80 })
    const result = await readImage(client, path)
    expect(/upright/.test(result.text)).toBe(orientation > 1)
    expect(result.structured).toMatchObject({ width: 120, height: 80 })
    // Around the centre, in the coordinates of the upright image.
    await expectQuarters(path, { width: 160, height: 80 }, { crop: [40, 30, 40, 20] })
    const corner = await decodeImage(await readImage(client, path, { crop: [100, 0, 20, 30] }))
    expect(isNear(corner.at(5, 5), GREEN) && isNear(corner.at(corner.width - 5, corner.height - 5), GREEN)).toBe(true)
  })
})

describe('every format', () => {
  test.each([
    ['PNG', (image: Sharp) => image.png()],
    ['PNG of 16 bits', (image: Sharp) => image.toColourspace('rgb16').png()],
    ['PNG with a palette', (image: Sharp) => image.png({ palette: true })],
    ['PNG in other colours', (image: Sharp) => image.withIccProfile('p3').png()],
    ['PNG interlaced', (image: Sharp) => image.png({ progressive: true })],
    ['JPEG', (image: Sharp) => image.jpeg()],
    ['JPEG progressive', (image: Sharp) => image.jpeg({ progressive: true })],
    ['JPEG in CMYK', (image: Sharp) => image.toColourspace('cmyk').jpeg({ quality: 95 })],
    ['GIF', (image: Sharp) => image.gif()],
    ['WebP', (image: Sharp) => image.webp()],
    ['WebP without loss', (image: Sharp) => image.webp({ lossless: true })],
    ['AVIF', (image: Sharp) => image.avif({ effort: 0, chromaSubsampling: '4:4:4' })],
    ['TIFF', (image: Sharp) => image.tiff()],
    ['TIFF in tiles', (image: Sharp) => image.tiff({ tile: true, compression: 'lzw' })],
  ])('%s has the correct colours', async (name, encode) => {
    const path = await file(encode(quarters(200, 100)), '')
    if (name === 'JPEG in CMYK') {
      const image = await decodeImage(await readImage(client, path))
      const [red = 0, green = 0, blue = 0] = image.at(3, 3)
      expect(red).toBeGreaterThan(180)
      expect(Math.max(green, blue)).toBeLessThan(90)
    } else await expectQuarters(path, { width: 200, height: 100 })
    expect((await readImage(client, path)).structured.format).toBe(name.split(' ')[0])
  })

  test('HEIC has the correct colours', async () => {
    const path = await file(HEIC, '.heic')
    await expectQuarters(path, { width: 32, height: 32 })
    await expectQuarters(path, { width: 64, height: 64 }, { crop: [8, 8, 16, 16] })
    expect((await readImage(client, path)).text).toMatch(
      /^\[(PNG|JPEG), 32x32, 1 KB\] Original: HEIC, 32 x 32 pixels, in full size\.\n$/,
    )
  })

  test('shades of grey stay grey', async () => {
    const image = await decodeImage(await readImage(client, await file(quarters(40, 40).greyscale().png())))
    const [red, green, blue] = image.at(2, 2)
    expect([red, red]).toEqual([green, blue])
  })

  test('drawings and pages are rendered large', async () => {
    const parts = '<rect width="5" height="5" fill="#f00"/><rect x="5" width="5" height="5" fill="#0f0"/>'
    const drawing = svg(`${parts}<rect y="5" width="5" height="5" fill="#00f"/>`, 'width="10" height="10"')
    await expectQuarters(await file(drawing, '.svg'), { width: 640, height: 640 })
    const page = '1 0 0 rg 0 50 50 50 re f 0 1 0 rg 50 50 50 50 re f 0 0 1 rg 0 0 50 50 re f'
    const path = await file(pdf([page, ''], '/MediaBox[0 0 100 100]'), '.pdf')
    // The first page loads the PDF library, which may take longer than the 10 s limit of an image on a busy machine.
    await vi.waitFor(async () => expect((await readImage(client, path)).text).not.toContain('takes longer than'))
    await expectQuarters(path, undefined, { page: 1 })
    const detail = await decodeImage(await readImage(client, path, { crop: [50, 0, 50, 50] }))
    expect(isNear(detail.at(5, 5), GREEN) && isNear(detail.at(detail.width - 5, detail.height - 5), GREEN)).toBe(true)
    expect((await readImage(client, path)).text).toContain('Page 1 of 2')
    expect(isNear((await decodeImage(await readImage(client, path, { page: 2 }))).at(9, 9), WHITE)).toBe(true)
    expect((await readImage(client, path, { page: 3 })).text).toContain('has 2 pages; there is no page 3')
  })
})

describe('size', () => {
  test('is usable for a model, and coordinates map back', async () => {
    const path = await file(quarters(4000, 1000).png())
    const { structured, text, image } = await readImage(client, path)
    expect(structured).toEqual({ format: 'PNG', width: 4000, height: 1000, x: 0, y: 0, scale: 0.392 })
    const kilobytes = Math.max(1, Math.round(Buffer.from(image?.data ?? '', 'base64').length / 1024))
    expect(text).toBe(
      `[PNG, 1568x392, ${kilobytes} KB] Original: PNG, 4000 x 1000 pixels, at 0.392 of its size. ` +
        'Multiply coordinates by 2.551 to get original pixels; crop to see detail.\n',
    )
    expect(JSON.stringify(structured)).not.toContain(image?.data.slice(0, 40))
    await expectQuarters(path, { width: 1568, height: 392 })
  })

  test('of an incompressible image is bounded', async () => {
    const noise = {
      width: 1568,
      height: 1568,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 90 },
    } as const
    const { image } = await readImage(client, await file(sharp({ create: noise }).png({ compressionLevel: 1 })))
    expect(image?.mimeType).toBe('image/jpeg')
    expect(image?.data.length).toBeLessThanOrEqual(1_000_000)
  })

  test('a crop is shown in full detail, clipped to the image', async () => {
    const path = await file(quarters(4000, 1000).png())
    const part = await readImage(client, path, { crop: [1900, 400, 200, 200] })
    expect(part.structured).toMatchObject({ x: 1900, y: 400, scale: 4 })
    await expectQuarters(path, { width: 800, height: 800 }, { crop: [1900, 400, 200, 200] })
    expect((await readImage(client, path, { crop: [3990, 990, 500, 500] })).structured).toMatchObject({
      x: 3990,
      y: 990,
      scale: 4,
    })
    expect((await readImage(client, path, { crop: [-50, -50, 100, 100] })).structured).toMatchObject({ x: 0, y: 0 })
  })

  test.each([
    [[4000, 0, 10, 10], /is 4000 x 1000 pixels: the requested crop is outside/],
    [[0, 0, 0, 10], /crop takes four numbers/],
    [[0, 0, 10], /crop takes four numbers/],
    [[0, 0, -5, 10], /crop takes four numbers/],
    [['a', 0, 1, 1], /crop/],
    [[1e300, 0, 1, 1], /crop/],
  ])('the crop %j is refused with a message', async (crop, sentence) => {
    const result = await readImage(client, await file(quarters(4000, 1000).png({ compressionLevel: 1 })), { crop })
    expect(result.isError).toBe(true)
    expect(result.text).toMatch(sentence)
  })
})

describe('transparency', () => {
  const drop = (colour: string): Sharp =>
    sharp({ create: { width: 60, height: 60, channels: 4, background: '#0000' } }).composite([
      { input: { create: { width: 20, height: 20, channels: 4, background: colour } }, left: 0, top: 0 },
    ])

  test('is shown on white', async () => {
    const result = await readImage(client, await file(drop('#f00').png()))
    const image = await decodeImage(result)
    expect([image.at(5, 5), image.at(50, 50)]).toEqual([RED, WHITE])
    expect(result.text).toContain('Partly transparent, shown on white')
  })

  test('is shown on dark grey if white would hide the content', async () => {
    const result = await readImage(client, await file(drop('#fff').webp({ lossless: true }), '.webp'))
    const image = await decodeImage(result)
    expect([image.at(5, 5), image.at(50, 50)]).toEqual([WHITE, [64, 64, 64]])
    expect(result.text).toContain('dark grey')
  })

  test('an alpha channel without effect is not mentioned', async () => {
    const { text } = await readImage(client, await file(quarters(30, 30).ensureAlpha().png()))
    expect(text).toBe('[PNG, 30x30, 1 KB] The whole image in full size.\n')
  })
})

test('of an animation the first frame is shown, or the requested one', async () => {
  const frames = Buffer.concat([RED, GREEN, BLUE].map((colour) => Buffer.alloc(20 * 20 * 3, Buffer.from(colour))))
  const path = await file(sharp(frames, { raw: { width: 20, height: 60, channels: 3, pageHeight: 20 } }).gif(), '.gif')
  const result = await readImage(client, path)
  expect(result.text).toContain('Frame 1 of 3')
  expect(isNear((await decodeImage(result)).at(9, 9), RED)).toBe(true)
  expect(isNear((await decodeImage(await readImage(client, path, { page: 3 }))).at(9, 9), BLUE)).toBe(true)
})

test('the GPS position of a photograph is not disclosed', async () => {
  const metadata = { IFD3: { GPSLatitude: '52/1 31/1 12/1' }, IFD0: { Copyright: 'owner' } }
  const { image } = await readImage(client, await file(quarters(300, 300).withExif(metadata).jpeg(), '.jpg'))
  const { exif, icc, xmp } = await sharp(Buffer.from(image?.data ?? '', 'base64')).metadata()
  expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined])
})

test('a wrong file extension is reported', async () => {
  expect((await readImage(client, await file(quarters(9, 9).jpeg(), '.png'))).text).toContain(
    'Its name ends in .png, but it is JPEG',
  )
})
