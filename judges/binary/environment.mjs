// Where the executable is judged: a folder of its own with nothing beside it, a PATH without Node.js and Bun, a site and
// search engines on loopback, and images of every kind.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startReplay } from '../../test/search/replay.mjs'

const root = resolve(import.meta.dirname, '../..')
const PROGRAMS = [
  'bash',
  'sh',
  'bwrap',
  'cat',
  'ls',
  'sleep',
  'touch',
  'git',
  'mkfifo',
  'setsid',
  'grep',
  'rm',
  'mv',
  'script',
  'stty',
]

export async function openWorld(executable) {
  const folder = mkdtempSync(join(tmpdir(), 'judge-binary-'))
  const within = (name) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  const program = join(within('program'), 'scorpiox-code')
  copyFileSync(executable, program)
  const bin = within('bin')
  for (const name of PROGRAMS) {
    const file = ['/usr/bin', '/bin'].map((place) => join(place, name)).find(existsSync)
    if (file) symlinkSync(file, join(bin, name))
  }
  const site = await openSite()
  const replay = await startReplay()
  const browser = await findBrowser(folder)
  const env = {
    PATH: bin,
    FETCH_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${replay.port}`,
    WEBSEARCH_GATEWAY: `http://127.0.0.1:${replay.port}/ok/{engine}`,
    BROWSER_PATH: browser ?? 'off',
  }
  return {
    program,
    env,
    site: `http://127.0.0.1:${site.port}`,
    images: await makeImages(within('images')),
    hasBrowser: browser !== undefined,
    /** A home with nothing but a folder to work in. */
    home() {
      const HOME = mkdtempSync(join(folder, 'home-'))
      const project = join(HOME, 'project')
      mkdirSync(project)
      plant(project)
      return { HOME, project }
    },
    close() {
      site.close()
      replay.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** What Bun would obey where it finds it, or load: a project must not reach into the server that works in it. */
function plant(project) {
  const planted = (name) => `require('node:fs').writeFileSync(${JSON.stringify(join(project, `obeyed-${name}`))}, '')\n`
  writeFileSync(join(project, 'bunfig.toml'), 'preload = ["./preload.js"]\n')
  writeFileSync(join(project, 'preload.js'), planted('preload'))
  writeFileSync(join(project, '.env'), 'PLANTED=obeyed\n')
  const chromium = join(project, 'node_modules/@sparticuz/chromium')
  mkdirSync(join(chromium, 'bin'), { recursive: true })
  for (const name of ['index.js', 'bin/chromium.br']) writeFileSync(join(chromium, name), '')
  writeFileSync(join(chromium, 'package.json'), '{"version": "1.0.0"}')
  for (const name of ['sharp', 'pg', 'unpdf', 'libheif-js']) {
    mkdirSync(join(project, 'node_modules', name), { recursive: true })
    writeFileSync(join(project, 'node_modules', name, 'index.js'), planted(name))
  }
}

const PROSE = '<p>There are some words in this paragraph, and more of them, as in any other.</p>'.repeat(20)
const PAGES = {
  '/page': ['text/html', `<title>A page</title><main><h1>Plain words</h1>${PROSE}</main>`],
  '/scripted': [
    'text/html',
    `<title>An app</title><div id="root"></div><script>setTimeout(() => {
      document.getElementById('root').innerHTML = '<main><h1>Made by a script</h1>' + ${JSON.stringify(PROSE)} + '</main>'
    }, 30)</script>`,
  ],
  '/paper.pdf': ['application/pdf', pdf('Printed words')],
}

async function openSite() {
  const server = createServer(({ url }, response) => {
    const [type, body] = PAGES[url] ?? []
    response.writeHead(type ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(body ?? 'nothing')
  })
  await new Promise((settle) => server.listen(0, '127.0.0.1', settle))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: server.address().port, close }
}

function pdf(content) {
  const drawing = `BT /F1 24 Tf 72 700 Td (${content}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const xref = text.length
  const size = objects.length + 1
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`
}

/** Left half red, right half blue; undefined where nothing here can make them. */
async function makeImages(folder) {
  const sharp = tryRequire('sharp')
  if (!sharp) return undefined
  const picture = () =>
    sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } }).composite([
      { input: { create: { width: 200, height: 200, channels: 3, background: 'blue' } }, left: 200, top: 0 },
    ])
  const paths = {}
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff']) {
    paths[format] = join(folder, `picture.${format}`)
    await picture().toFormat(format).toFile(paths[format])
  }
  paths.turned = join(folder, 'turned.jpeg')
  await picture().jpeg().withMetadata({ orientation: 6 }).toFile(paths.turned)
  paths.large = join(folder, 'large.png')
  await sharp({ create: { width: 9000, height: 9000, channels: 3, background: 'red' } })
    .png()
    .toFile(paths.large)
  paths.cut = join(folder, 'cut.png')
  writeFileSync(paths.cut, (await picture().png().toBuffer()).subarray(0, 300))
  return paths
}

/** The colour of the pixel in the middle of each half. */
export async function halvesOf(base64) {
  const { data, info } = await tryRequire('sharp')(Buffer.from(base64, 'base64'))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const at = (x, y) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
  const middle = Math.floor(height / 2)
  return { width, height, left: at(Math.floor(width / 4), middle), right: at(Math.floor((width * 3) / 4), middle) }
}

/** One from npm for this system, as the npm package would use it. */
async function findBrowser(folder) {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !tryRequire('playwright-core')) return undefined
  const { findBrowser: find } = await import(join(root, 'dist/judge/browser/find-browser.mjs'))
  return find({ browserPath: '', env: { PATH: '' }, unpackIn: () => join(folder, 'browser') }).catch(() => undefined)
}

function tryRequire(name) {
  try {
    return createRequire(join(root, 'package.json'))(name)
  } catch {
    return undefined
  }
}
