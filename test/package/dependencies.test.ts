// What comes with an installation: few packages, each pinned, none that runs anything while it is installed; and a list
// of them that leaves none out.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

interface Locked {
  readonly version: string
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const manifest: Readonly<Record<'dependencies' | 'optionalDependencies' | 'devDependencies', Record<string, string>>> =
  read('package.json')
const lock: { readonly packages: Readonly<Record<string, Locked>> } = read('package-lock.json')
const installed = installedWithUs()

test('there are at most 15 direct dependencies, and all are pinned', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(15)
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+[-.\w]*$/)
  }
})

test('none that is installed with us has an install script', () => {
  expect(installed.length).toBeGreaterThan(30)
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([])
})

test('the lockfile names no registry, and knows each package by its content', () => {
  for (const [path, { resolved, integrity }] of Object.entries(lock.packages)) {
    if (path === '') continue
    expect(resolved, path).toBeUndefined()
    expect(integrity, path).toMatch(/^sha512-/)
  }
})

test('npm run sbom lists every one of them, and nothing of this machine', () => {
  execFileSync(process.execPath, [resolve(ROOT, 'scripts/sbom.mjs')], { stdio: 'pipe' })
  const text = readFileSync(resolve(ROOT, 'dist/sbom.cdx.json'), 'utf8')
  const { metadata, components } = JSON.parse(text)
  const named = (entries: readonly (readonly [string, Locked])[]): readonly string[] =>
    [...new Set(entries.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))].sort()
  const carried = Object.entries(lock.packages).filter(([path]) =>
    ['node_modules/preact', 'node_modules/@photostructure/sqlite'].includes(path),
  )
  expect(metadata.component.name).toBe('scorpiox-code')
  expect(components.map((component: Record<string, string>) => component['bom-ref']).sort()).toEqual(
    named([...installed, ...carried]),
  )
  for (const place of [ROOT, hostname(), 'file:', 'http://localhost', '127.0.0.1']) expect(text).not.toContain(place)
  expect(text.match(/https?:\/\/[^/"]+/g)).toEqual(['http://cyclonedx.org'])
})

/** What our dependencies lead to, and theirs, where Node would find it. */
function installedWithUs(): readonly (readonly [string, Locked])[] {
  const paths = new Set([''])
  for (const path of paths) {
    const {
      dependencies,
      optionalDependencies,
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = lock.packages[path]!
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      let folder = path
      while (folder !== '' && !lock.packages[`${folder}/node_modules/${name}`]) {
        folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
      }
      paths.add(folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`)
    }
  }
  return [...paths].filter((path) => path !== '').map((path) => [path, lock.packages[path]!])
}

// oxlint-disable-next-line typescript/no-explicit-any -- each of the two files has its own form
function read(file: string): any {
  return JSON.parse(readFileSync(resolve(ROOT, file), 'utf8'))
}
