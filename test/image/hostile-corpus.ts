// Files made to exhaust, deceive or crash a decoder, and paths that are not files, each with the expected outcome.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import sharp from 'sharp'

import { heic } from './make-heic.js'
import { box, chunk, gif, jpegSaying, packedZeros, pdf, png, svg, tiff, tiffTags } from './make.js'

/** Content of every fake: output that contains it discloses the file. */
export const CANARY = 'canary-5d1f'

export interface Case {
  readonly name: string
  readonly path: string
  /** What the message must contain; `image` if it is one; `either` if both are correct. */
  readonly outcome: RegExp | 'image' | 'either'
}

type Bytes = readonly [name: string, bytes: Buffer, outcome: Case['outcome']]

const TOO_LARGE = /pixels, more than the \d+ million/
const BROKEN = /damaged|truncated|cannot be d|has no size|crashed/

export interface Samples {
  readonly png: Buffer
  readonly jpeg: Buffer
  readonly progressive: Buffer
  readonly gif: Buffer
  readonly webp: Buffer
  readonly avif: Buffer
  readonly tiff: Buffer
  readonly heic: Buffer
}

/** Data that compresses badly, in every format that can be created here. */
export async function makeSamples(): Promise<Samples> {
  const [width, height] = [160, 120]
  const data = Buffer.from(Array.from({ length: width * height * 3 }, (_, index) => (index * 2_654_435_761) >>> 24))
  const image = sharp(data, { raw: { width, height, channels: 3 } })
  return {
    png: await image.clone().png().toBuffer(),
    jpeg: await image.clone().jpeg().toBuffer(),
    progressive: await image.clone().jpeg({ progressive: true }).toBuffer(),
    gif: await image.clone().gif().toBuffer(),
    webp: await image.clone().webp().toBuffer(),
    avif: await image.clone().avif({ effort: 0 }).toBuffer(),
    tiff: await image.clone().tiff({ compression: 'deflate' }).toBuffer(),
    heic: heic([
      [81, 90, 240],
      [145, 54, 34],
      [41, 240, 110],
      [235, 128, 128],
    ]),
  }
}

export async function makeCorpus(folder: string): Promise<readonly Case[]> {
  const samples = await makeSamples()
  const files = [...bombs(samples), ...drawings(), ...documents(), ...truncations(samples), ...fakes(samples)]
  const written = files.map(([name, bytes, outcome], index): Case => {
    const path = join(folder, `${index}-${name.replaceAll(/[^\w.]+/g, '-')}`)
    writeFileSync(path, bytes)
    return { name, path, outcome }
  })
  return [...written, ...pathCases(folder, samples)]
}

function bombs({ jpeg, progressive, webp, avif, heic: photograph, png: sound }: Samples): readonly Bytes[] {
  const text = Buffer.from('comment\0\0', 'latin1')
  const unknownProfile = Buffer.from('profile\0\0', 'latin1')
  const ok = { width: 8, height: 8, data: Buffer.alloc(8 * 25) }
  return [
    ['png 30000 squared', png({ width: 30_000, height: 30_000 }), TOO_LARGE],
    ['png of the largest size', png({ width: 0x7fffffff, height: 0x7fffffff }), /pixels|damaged/],
    ['png beyond the largest size', png({ width: 0xffffffff, height: 0xffffffff }), BROKEN],
    ['png of no size', png({ width: 0, height: 0 }), BROKEN],
    [
      'png one line high',
      png({ width: 1_000_000, height: 1, depth: 1, colour: 0, data: Buffer.alloc(125_001) }),
      'image',
    ],
    [
      'png as a bomb that fits',
      png({ width: 15_000, height: 15_000, depth: 1, colour: 0, data: Buffer.alloc(15_000 * 1876) }),
      'image',
    ],
    ['png of 16 bits as a bomb', png({ width: 16_000, height: 16_000, depth: 16, colour: 6 }), BROKEN],
    ['png interlaced', png({ width: 12_000, height: 12_000, interlaced: true }), TOO_LARGE],
    ['png without its data', png({ width: 5000, height: 5000 }), BROKEN],
    [
      'png with a text bomb',
      png({ ...ok, extra: [chunk('zTXt', Buffer.concat([text, packedZeros(100_000_000)]))] }),
      'either',
    ],
    [
      'png with an international bomb',
      png({
        ...ok,
        extra: [chunk('iTXt', Buffer.concat([Buffer.from('c\0\x01\0\0\0', 'latin1'), packedZeros(100_000_000)]))],
      }),
      'either',
    ],
    [
      'png with a profile bomb',
      png({ ...ok, extra: [chunk('iCCP', Buffer.concat([unknownProfile, packedZeros(100_000_000)]))] }),
      'either',
    ],
    [
      'png with a profile of noise',
      png({ ...ok, extra: [chunk('iCCP', Buffer.concat([unknownProfile, randomBytes(64)]))] }),
      'either',
    ],
    ['png with an empty palette', png({ ...ok, colour: 3, extra: [chunk('PLTE', Buffer.alloc(0))] }), 'either'],
    [
      'png with a chunk that is too long',
      Buffer.concat([sound.subarray(0, 33), Buffer.from('\x7f\xff\xff\xffiTXt', 'latin1')]),
      BROKEN,
    ],
    ['png with two headers', Buffer.concat([sound.subarray(0, 33), sound.subarray(8)]), 'either'],
    ['png followed by a zip', Buffer.concat([sound, Buffer.from('PK\x03\x04', 'latin1'), randomBytes(500)]), 'image'],
    ['gif 65535 squared', gif(65_535, 65_535), 'either'],
    ['gif with a frame of 65535 squared', gif(65_535, 65_535, 1, 65_535), TOO_LARGE],
    ['gif of no size', gif(0, 0), 'either'],
    ['gif of 20000 frames', gif(4, 4, 20_000), 'image'],
    ['gif without frames', gif(10, 10, 0), BROKEN],
    ['gif that never ends', Buffer.concat([gif(100, 100).subarray(0, -1), Buffer.alloc(50_000, 0x21)]), 'either'],
    ['jpeg 65500 squared', jpegSaying(jpeg, 65_500, 65_500), TOO_LARGE],
    ['jpeg larger than its data', jpegSaying(jpeg, 8000, 6000), BROKEN],
    ['jpeg of no height', jpegSaying(jpeg, 160, 0), BROKEN],
    ['jpeg progressive 9000 squared', jpegSaying(progressive, 9000, 9000), TOO_LARGE],
    ['jpeg progressive larger than its data', jpegSaying(progressive, 6000, 6000), BROKEN],
    [
      'jpeg with a profile of noise',
      withSegment(jpeg, 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), randomBytes(3000)])),
      'either',
    ],
    [
      'jpeg with a profile in 255 parts',
      withSegment(jpeg, 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\xff', 'latin1'), randomBytes(60_000)])),
      'either',
    ],
    [
      'jpeg with EXIF of noise',
      withSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0II*\0'), randomBytes(2000)])),
      'image',
    ],
    ['jpeg with orientation 255', withSegment(jpeg, 0xe1, exif(255)), 'image'],
    ['jpeg with orientation 0', withSegment(jpeg, 0xe1, exif(0)), 'image'],
    ['jpeg with EXIF in a circle', withSegment(jpeg, 0xe1, exif(1, 8)), 'image'],
    [
      'jpeg with a thousand comments',
      Array.from({ length: 1000 }).reduce<Buffer>((all) => withSegment(all, 0xfe, Buffer.alloc(1000)), jpeg),
      'image',
    ],
    ['tiff in a circle', tiff(tiffTags(8, 8), 8), 'either'],
    ['tiff beyond every size', tiff(tiffTags(0x7fffffff, 0x7fffffff)), /pixels|damaged/],
    ['tiff 30000 squared', tiff(tiffTags(30_000, 30_000)), /pixels|damaged/],
    ['tiff 15000 squared of nothing', tiff(tiffTags(15_000, 15_000)), BROKEN],
    ['tiff with pixels beyond its end', tiff(tiffTags(8, 8, 0x7fffff00)), BROKEN],
    [
      'tiff with a tag without end',
      tiff([...tiffTags(8, 8), { tag: 320, type: 3, count: 0xffffffff, value: 8 }]),
      'either',
    ],
    ['tiff without tags', tiff([]), BROKEN],
    [
      'tiff with directories at random',
      Buffer.concat([Buffer.from('II*\0\x08\0\0\0\xff\xff', 'latin1'), randomBytes(70_000)]),
      BROKEN,
    ],
    ['webp that says it is huge', patched(webp, (bytes) => bytes.writeUInt32LE(0xfffffff0, 4)), 'either'],
    ['webp canvas of 16384 squared', webpCanvas(webp), BROKEN],
    ['webp with a chunk that is too long', patched(webp, (bytes) => bytes.writeUInt32LE(0x7fffffff, 16)), BROKEN],
    ['webp of another kind', patched(webp, (bytes) => bytes.write('VP8Z', 12)), BROKEN],
    ['avif that says 60000 squared', patched(avif, (bytes) => sayIspe(bytes, 60_000, 60_000)), /pixels|damaged/],
    ['avif that says 7000 squared', patched(avif, (bytes) => sayIspe(bytes, 7000, 7000)), 'either'],
    ['avif of no size', patched(avif, (bytes) => sayIspe(bytes, 0, 0)), BROKEN],
    ['avif of boxes in boxes', Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0avif')), nested(2000)]), BROKEN],
    [
      'avif with a box of no length',
      Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0avif')), Buffer.alloc(4000)]),
      BROKEN,
    ],
    ['heic of noise', Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')), randomBytes(4000)]), BROKEN],
    [
      'heic that is avif inside',
      Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')), avif.subarray(avif.readUInt32BE(0))]),
      'either',
    ],
    ['heic that says 60000 squared', patched(photograph, (bytes) => sayIspe(bytes, 60_000, 60_000)), /pixels|damaged/],
    ['heic that says 7000 squared', patched(photograph, (bytes) => sayIspe(bytes, 7000, 7000)), 'either'],
    ['heic of no size', patched(photograph, (bytes) => sayIspe(bytes, 0, 0)), 'either'],
    ['heic of boxes in boxes', Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')), nested(2000)]), BROKEN],
    ['heic without anything', box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')), BROKEN],
  ]
}

function drawings(): readonly Bytes[] {
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('')
  const doubled = Array.from(
    { length: 30 },
    (_, n) => `<g id="u${n + 1}"><use href="#u${n}"/><use href="#u${n}"/></g>`,
  ).join('')
  const bomb = png({ width: 30_000, height: 30_000, data: Buffer.alloc(30_000) }).toString('base64')
  const drawn = 'image'
  return [
    [
      'svg billion laughs',
      Buffer.from(
        `<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]><svg xmlns="http://www.w3.org/2000/svg"><text>&l9;</text></svg>`,
      ),
      /defines entities/,
    ],
    [
      'svg that reads a file by entity',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>',
      ),
      /defines entities/,
    ],
    [
      'svg with a plain doctype',
      Buffer.concat([
        Buffer.from(
          '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://127.0.0.1:1/svg11.dtd">',
        ),
        svg('<rect width="9" height="9"/>'),
      ]),
      drawn,
    ],
    [
      'svg in another encoding',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="UTF-7"?>'), svg('')]),
      /unusual encoding/,
    ],
    ['svg as UTF-16', Buffer.from(`\uFEFF${svg('').toString()}`, 'utf16le'), /not an image/],
    ['svg with a script', svg('<script>while(true){}</script><rect width="9" height="9" onload="while(1){}"/>'), drawn],
    [
      'svg with a foreign object',
      svg(
        '<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="file:///etc/passwd"/></foreignObject>',
      ),
      drawn,
    ],
    [
      'svg that includes',
      svg('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'),
      'either',
    ],
    ['svg that imports style', svg('<style>@import url("file:///etc/passwd");</style>'), drawn],
    ['svg a billion wide', svg('<rect width="9" height="9"/>', 'width="1000000000" height="1000000000"'), 'either'],
    ['svg narrow and long', svg('<rect width="9" height="9"/>', 'width="2000" height="200000"'), 'image'],
    ['svg of negative size', svg('', 'width="-5" height="-5"'), 'either'],
    ['svg of no size', svg('', 'width="0" height="0"'), 'either'],
    ['svg without a size', svg('<rect width="9" height="9"/>', ''), 'either'],
    [
      'svg sized in percent',
      svg('<rect width="9" height="9"/>', 'width="100%" height="100%" viewBox="0 0 30 20"'),
      drawn,
    ],
    [
      'svg that is not closed',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g>'),
      /cannot be drawn/,
    ],
    ['svg of another namespace', Buffer.from('<svg width="9" height="9"><rect/></svg>'), 'either'],
    ['svg that uses itself', svg('<g id="a"><use href="#a"/></g>'), 'either'],
    [
      'svg that doubles thirty times',
      svg(`<g id="u0"><rect width="9" height="9"/></g>${doubled}<use href="#u30"/>`),
      'either',
    ],
    [
      'svg with patterns in a circle',
      svg(
        '<pattern id="p" width="1" height="1"><rect width="9" height="9" fill="url(#p)"/></pattern><rect width="40" height="30" fill="url(#p)"/>',
      ),
      'either',
    ],
    ['svg a hundred thousand deep', svg(`${'<g>'.repeat(100_000)}${'</g>'.repeat(100_000)}`), 'either'],
    [
      'svg with a heavy filter',
      svg(
        '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="40"/><feGaussianBlur stdDeviation="900"/><feMorphology radius="300"/></filter><rect width="40" height="30" filter="url(#f)"/>',
      ),
      'either',
    ],
    ['svg with a bomb inside', svg(`<image width="40" height="30" href="data:image/png;base64,${bomb}"/>`), 'either'],
    [
      'svg with a drawing inside',
      svg(
        `<image width="9" height="9" href="data:image/svg+xml;base64,${svg('<rect width="9" height="9"/>').toString('base64')}"/>`,
      ),
      'either',
    ],
    ['svg with a million points', svg(`<path d="M0 0${' L9 9 L1 5'.repeat(300_000)}" stroke="red"/>`), 'either'],
    ['svg with endless dashes', svg('<path d="M0 0 H1000000000" stroke="red" stroke-dasharray="0.0001"/>'), 'either'],
    ['svg with long text', svg(`<text>${'x'.repeat(1_000_000)}</text>`), 'either'],
    ['svg of nine megabytes', svg(' '.repeat(9_000_000)), /larger than 8 MB/],
    ['svg packed', gzipSync(svg('<rect width="9" height="9"/>')), drawn],
    ['svg packed as a bomb', gzipSync(svg(' '.repeat(200_000_000))), /gzip data, not an image/],
    ['text packed', gzipSync(CANARY), /gzip data, not an image/],
    ['packed and cut', gzipSync(svg(randomBytes(5000).toString('hex'))).subarray(0, 900), /gzip data, not an image/],
  ]
}

function documents(): readonly Bytes[] {
  const square = '1 0 0 rg 10 10 100 50 re f'
  const raw = (text: string): Buffer => Buffer.from(`%PDF-1.4\n${text}`, 'latin1')
  return [
    ['pdf', pdf([square]), 'image'],
    ['pdf of noise', Buffer.concat([raw(''), randomBytes(5000)]), BROKEN],
    ['pdf without pages', pdf([]), /page|damaged/],
    [
      'pdf with pages in a circle',
      raw(
        '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj trailer<</Root 1 0 R>>',
      ),
      'either',
    ],
    [
      'pdf that says a million pages',
      raw(
        '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 1000000>>endobj trailer<</Root 1 0 R>>',
      ),
      'either',
    ],
    ['pdf with a page beyond measure', pdf([square], '/MediaBox[0 0 1000000000 1000000000]'), 'either'],
    ['pdf with a page of no size', pdf([square], '/MediaBox[0 0 0 0]'), 'either'],
    ['pdf with a stream bomb', pdf(['q '.repeat(200_000)]), 'either'],
    ['pdf that draws without end', pdf(['0 0 9 9 re f '.repeat(100_000)]), 'either'],
    ['pdf with a program', pdf([square], '/MediaBox[0 0 90 90]/AA<</O<</S/JavaScript/JS(while(true){})>>>>'), 'image'],
    [
      'pdf with a password',
      raw(
        '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj 3 0 obj<</Filter/Standard/V 1/R 2/O(00000000000000000000000000000000)/U(00000000000000000000000000000000)/P -4>>endobj trailer<</Root 1 0 R/Encrypt 3 0 R/ID[(a)(a)]>>',
      ),
      /password|damaged/,
    ],
    ['pdf cut in the middle', pdf([square]).subarray(0, 150), 'either'],
  ]
}

/** A truncated image is an error, unless only its last bytes are missing. */
function truncations(samples: Samples): readonly Bytes[] {
  return Object.entries(samples).flatMap(([kind, bytes]: [string, Buffer]): Bytes[] =>
    [24, 40, bytes.length >> 2, bytes.length >> 1, Math.floor(bytes.length * 0.9), bytes.length - 1].map(
      (length, index) => [
        `${kind} cut to ${length} of ${bytes.length}`,
        bytes.subarray(0, length),
        index === 5 ? 'either' : BROKEN,
      ],
    ),
  )
}

function fakes({ jpeg }: Samples): readonly Bytes[] {
  const fake = (magic: string): Buffer => Buffer.concat([Buffer.from(magic, 'latin1'), Buffer.from(CANARY.repeat(30))])
  return [
    ['text.png', fake(''), /is text, not an image/],
    ['secret.jpg', fake('-----BEGIN PRIVATE KEY-----\n'), /is text, not an image/],
    ['page.gif', fake('<!DOCTYPE html><html><title>'), /is an HTML page, not an image/],
    ['data.webp', fake('<?xml version="1.0"?><data>'), /is an XML document, not an image/],
    ['script.png', fake('#!/bin/sh\n'), /is a script, not an image/],
    ['json.png', fake('{"key":"'), /is text, not an image/],
    ['program.png', fake('\x7fELF\x02\x01\x01\0'), /is an ELF program, not an image/],
    ['archive.png', fake('PK\x03\x04\0\0'), /is a ZIP archive, not an image/],
    ['database.png', fake('SQLite format 3\0'), /is a SQLite database, not an image/],
    ['video.png', fake('\0\0\0\x20ftypisom\0\0\0\0isom'), /is an MP4 video, not an image/],
    ['sound.jpg', fake('RIFF\x24\0\0\0WAVEfmt '), /is WAV audio, not an image/],
    ['picture.png', fake('BM\0\0\0\0'), /is a BMP image, not an image that can be shown/],
    ['icon.png', fake('\0\0\x01\0\x01\0'), /is an icon, not an image/],
    ['layers.png', fake('8BPS\0\x01'), /is a Photoshop document, not an image/],
    ['modern.jpg', fake('\0\0\0\x0cJXL \x0d\x0a'), /is a JPEG XL image, not an image/],
    ['noise.png', Buffer.concat([Buffer.from([1, 2, 3, 0]), randomBytes(500)]), /not an image/],
    ['one byte.png', Buffer.from('x'), /is text, not an image/],
    ['empty.png', Buffer.alloc(0), /is empty/],
    ['magic alone.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), BROKEN],
    ['magic alone.jpg', Buffer.from('\xff\xd8\xff', 'latin1'), BROKEN],
    ['magic alone.gif', Buffer.from('GIF89a'), BROKEN],
    ['magic alone.tif', Buffer.from('II*\0', 'latin1'), BROKEN],
    ['magic alone.webp', Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), BROKEN],
    ['text behind a magic.png', fake('\x89PNG\r\n\x1a\n'), BROKEN],
    ['text behind a magic.jpg', fake('\xff\xd8\xff\xe0'), BROKEN],
    ['jpeg by another name.png', jpeg, 'image'],
  ]
}

/** Paths to no file, to another one, or to something else. */
function pathCases(folder: string, { png: sound }: Samples): readonly Case[] {
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('sound.png'), sound)
  mkdirSync(at('folder.png'))
  symlinkSync(at('sound.png'), at('link.png'))
  symlinkSync(at('missing.png'), at('dangling.png'))
  symlinkSync(at('circle-b.png'), at('circle-a.png'))
  symlinkSync(at('circle-a.png'), at('circle-b.png'))
  execFileSync('mkfifo', [at('pipe.png')])
  symlinkSync(at('pipe.png'), at('link-to-pipe.png'))
  symlinkSync('/dev/zero', at('link-to-device.png'))
  linkSync(at('sound.png'), at('hard-link.png'))
  writeFileSync(at('sparse.png'), sound)
  truncateSync(at('sparse.png'), 2 ** 40)
  writeFileSync(at('long-sparse.png'), sound)
  truncateSync(at('long-sparse.png'), 60 * 1024 * 1024)
  for (const name of [
    'بِسْم.png',
    'e\u0301.png',
    'sp ace \u202E.png',
    'line\nbreak.png',
    '-rf.png',
    '%2e%2e.png',
    `${'n'.repeat(250)}.png`,
  ])
    writeFileSync(at(name), sound)
  const named = (path: string, outcome: Case['outcome']): Case => ({ name: `path ${path.slice(-40)}`, path, outcome })
  const isThere = (path: string, outcome: RegExp): Case[] => [named(path, outcome)]
  return [
    named(at('sound.png'), 'image'),
    named(at('link.png'), 'image'),
    named(at('hard-link.png'), 'image'),
    named(`${folder}/./folder.png/../sound.png`, 'image'),
    named(at('بِسْم.png'), 'image'),
    named(at('e\u0301.png'), 'image'),
    named(at('sp ace \u202E.png'), 'image'),
    named(at('line\nbreak.png'), 'image'),
    named(at('-rf.png'), 'image'),
    named(at('%2e%2e.png'), 'image'),
    named(at(`${'n'.repeat(250)}.png`), 'image'),
    named(at('long-sparse.png'), 'either'),
    named(at('sparse.png'), /larger than 64 MB/),
    named(at('folder.png'), /is a folder/),
    named(`${at('folder.png')}/`, /is a folder/),
    named(`${at('sound.png')}/`, /is not there/),
    named(`${at('sound.png')}/x.png`, /is not there/),
    named(at('dangling.png'), /is not there/),
    named(at('circle-a.png'), /circle/),
    named(at('pipe.png'), /is a pipe/),
    named(at('link-to-pipe.png'), /is a pipe/),
    named(at('socket.png'), /is a socket/),
    named(at('link-to-device.png'), /is a device/),
    named(at('nothing.png'), /is not there/),
    named(at(`${'n'.repeat(300)}.png`), /name longer/),
    named(`/${'long/'.repeat(2000)}x.png`, /name longer/),
    named(`${at('sound.png')}\0.txt`, /NUL/),
    named('', /file_path is empty/),
    named('.', /is a folder/),
    named('no-such.png', /no-such\.png is not there/),
    named('../../etc/no-such.png', /is not there/),
    named('~/sound.png', /not expanded/),
    named(`file://${at('sound.png')}`, /remove file:\/\//),
    named('https://example.com/x.png', /is a URL/),
    named('data:image/png;base64,AAAA', /is a URL/),
    named('/', /is a folder/),
    named('/dev', /is a folder/),
    ...(process.platform === 'linux'
      ? [
          ...['/dev/zero', '/dev/random', '/dev/null', '/dev/full', '/dev/urandom'].flatMap((path) =>
            isThere(path, /is a device/),
          ),
          ...['/proc/self/environ', '/proc/self/maps', '/proc/self/cmdline', '/proc/version', '/proc/self/mem'].flatMap(
            (path) => isThere(path, /is empty/),
          ),
          ...isThere('/proc/self/fd/0', /is a (socket|pipe)/),
          ...isThere('/dev/stdin', /is a (socket|pipe)/),
          ...isThere('/proc/self/cwd', /is a folder/),
          ...isThere('/proc/kcore', /larger than|is empty|may not be read|is not there|not an image/),
        ]
      : []),
  ]
}

/** Must stay open while its socket is used. */
export async function openSocket(folder: string): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket.png'), resolve))
  return server
}

function withSegment(jpeg: Buffer, marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)])
}

function exif(orientation: number, next = 0): Buffer {
  return Buffer.concat([Buffer.from('Exif\0\0'), tiff([{ tag: 0x112, type: 3, value: orientation }], next)])
}

function patched(bytes: Buffer, change: (bytes: Buffer) => unknown): Buffer {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}

function sayIspe(bytes: Buffer, width: number, height: number): void {
  const at = bytes.indexOf('ispe')
  bytes.writeUInt32BE(width, at + 8)
  bytes.writeUInt32BE(height, at + 12)
}

function webpCanvas(webp: Buffer): Buffer {
  const canvas = Buffer.from('VP8X\x0a\0\0\0\0\0\0\0\xff\x3f\0\xff\x3f\0', 'latin1')
  const body = Buffer.concat([Buffer.from('WEBP'), canvas, webp.subarray(12)])
  const head = Buffer.from('RIFF\0\0\0\0')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

function nested(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(0)
  for (let level = 0; level < depth; level++)
    inner = box(level % 2 === 0 ? 'meta' : 'iprp', Buffer.concat([Buffer.alloc(4), inner]))
  return inner
}
