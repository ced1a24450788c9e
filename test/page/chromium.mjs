// A real Chromium from npm, unpacked once per version into a directory of its own: two versions in one directory crash.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { chromium } from 'playwright-core'

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--hide-scrollbars',
  '--disable-lcd-text',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
]

export async function openChromium() {
  return chromium.launch({ executablePath: await unpacked(), args: ARGS, headless: true })
}

async function unpacked() {
  const here = createRequire(import.meta.url)
  const root = packageOf(here.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const place = join(tmpdir(), `scorpiox-chromium-${version}`)
  const file = join(place, 'chromium')
  if (existsSync(file)) return file
  const before = process.env.TMPDIR
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-unpack-'))
  process.env.TMPDIR = folder
  try {
    const { default: source } = await import('@sparticuz/chromium')
    await source.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  chmodSync(join(folder, 'chromium'), 0o755)
  try {
    renameSync(folder, place)
  } catch {
    // Another process was faster.
    rmSync(folder, { recursive: true, force: true })
  }
  mkdirSync(place, { recursive: true })
  return file
}

function packageOf(file) {
  const folder = dirname(file)
  return existsSync(join(folder, 'package.json')) && folder.endsWith('chromium') ? folder : packageOf(folder)
}
