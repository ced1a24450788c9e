// The files that `npm pack` puts into the package.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { VERSION } from '@scorpiox/server/config/version'

const ROOT = resolve(import.meta.dirname, '../..')

interface Packed {
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly mode: number }[]
}

const ALLOWED = [
  /^(README|LICENSE|CHANGELOG)(\.md)?$/,
  /^package\.json$/,
  /^dist\/[\w-]+\.js$/,
  /^dist\/package\.json$/,
  /^dist\/library\.mjs$/,
  /^dist\/library\/[\w-]+\.mjs$/,
  /^dist\/parts\/[\w.-]+\.js$/,
  /^dist\/page\/(index\.html|(page|terminal)\.(js|css)|(palette|job-detail|service-worker)\.js|manifest\.webmanifest)$/,
  /^dist\/page\/icon-(maskable-)?\d+\.png$/,
  /^dist\/apps\/(question|plan|job|tasks|image)\.html$/,
  /^dist\/dev-page\/(index\.html|page\.(js|css))$/,
  /^dist\/sqlite\/(LICENSE|(linux|darwin|win32)-(x64|arm64)-(usual|musl)\.node)$/,
  /^dist\/types\/(package\.json|[\w/-]+\.d\.ts)$/,
  /^examples\/[\w/.-]+\.(mjs|yaml)$/,
  /^examples\/deploy\/(Containerfile|[\w-]+\.(cfg|env|service|yml))$/,
  /^docs\/(ko\/|ar\/)?[\w-]+\.md$/,
]

test('the package contains the required files and no others', ({ task }) => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const shell = process.platform === 'win32'
  const [packed]: readonly Packed[] = JSON.parse(
    execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  expect(packed).toBeDefined()
  const { files, size, unpackedSize } = packed!
  const paths = files.map(({ path }) => path)
  task.meta.says = [`package: ${spelt(size)} packed, ${spelt(unpackedSize)} unpacked, ${paths.length} files`]
  expect(paths.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([])
  for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/scorpiox-code.js', 'dist/types/library.d.ts']) {
    expect(paths).toContain(path)
  }
  expect(files.find(({ path }) => path === 'dist/scorpiox-code.js')!.mode & 0o111).not.toBe(0)
  expect(size).toBeLessThan(12_000_000)
})

test('published declarations import only published declarations', () => {
  const waiting = [resolve(ROOT, 'dist/types/library.d.ts')]
  const seen = new Set(waiting)
  for (const file of waiting) {
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)\.js['"]/g)) {
      const next = resolve(file, '..', `${specifier}.d.ts`)
      expect(existsSync(next), `${file} needs ${specifier}`).toBe(true)
      if (!seen.has(next)) waiting.push(next)
      seen.add(next)
    }
  }
  expect(seen.size).toBeGreaterThan(10)
})

test('all files with the version have the same one', () => {
  const { name, version, mcpName, description } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'))
  const entry = JSON.parse(readFileSync(resolve(ROOT, 'server.json'), 'utf8'))
  expect(VERSION).toBe(version)
  expect(entry).toMatchObject({ name: mcpName, version, description, packages: [{ identifier: name, version }] })
  expect(description.length).toBeLessThanOrEqual(100)
})

function spelt(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
