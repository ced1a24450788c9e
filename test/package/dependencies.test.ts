// The dependencies: few, pinned, without install scripts, and all of them in the generated list.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { installedPackages, type Lock, type Locked } from '../../scripts/installed-packages.mjs'

const ROOT = resolve(import.meta.dirname, '../..')

const manifest: Readonly<Record<'dependencies' | 'optionalDependencies' | 'devDependencies', Record<string, string>>> =
  read('package.json')
const WORKSPACES = readdirSync(resolve(ROOT, 'packages')).sort()
const lock: Lock = read('package-lock.json')
const installed = Object.entries(installedPackages(lock))

// The sixteenth is @xterm/headless, without dependencies, native code and install script, for the screens of terminals.
test('there are at most 16 direct dependencies, and all are pinned', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(16)
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+[-.\w]*$/)
  }
})

test('no installed dependency has an install script', () => {
  expect(installed.length).toBeGreaterThan(30)
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([])
})

test('the lockfile contains no registry, and a hash for each package', () => {
  for (const [path, { resolved, integrity }] of Object.entries(lock.packages)) {
    if (path === '' || isWorkspace(path)) continue
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
    ['node_modules/preact', 'node_modules/@photostructure/sqlite', 'node_modules/@xterm/xterm'].includes(path),
  )
  expect(metadata.component.name).toBe('scorpiox-code')
  expect(components.map((component: Record<string, string>) => component['bom-ref']).sort()).toEqual(
    named([...installed, ...carried]),
  )
  for (const directory of [ROOT, hostname(), 'file:', 'http://localhost', '127.0.0.1'])
    expect(text).not.toContain(directory)
  expect(text.match(/https?:\/\/[^/"]+/g)).toEqual(['http://cyclonedx.org'])
})

test('the workspaces use the versions of the package, which depends on none of them', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest
  const versions: Record<string, string> = { ...devDependencies, ...dependencies, ...optionalDependencies }
  expect(Object.keys(versions).filter(isWorkspace)).toEqual([])
  expect(WORKSPACES).toEqual(['app', 'console', 'dev', 'mcp', 'server'])
  for (const name of WORKSPACES) {
    const workspace = read(`packages/${name}/package.json`)
    const listed: Record<string, string> = { ...workspace.dependencies, ...workspace.optionalDependencies }
    expect({ name, version: workspace.version, isPublished: workspace.private !== true }).toEqual({
      name,
      version: read('package.json').version,
      isPublished: name === 'mcp',
    })
    const others = Object.entries(listed).filter(([dependency]) => !isWorkspace(dependency))
    expect(Object.fromEntries(others)).toEqual(Object.fromEntries(others.map(([key]) => [key, versions[key]])))
  }
})

function isWorkspace(path: string): boolean {
  return WORKSPACES.some((name) => path === `packages/${name}` || path.endsWith(`@scorpiox/${name}`))
}

// oxlint-disable-next-line typescript/no-explicit-any -- each of the two files has its own form
function read(file: string): any {
  return JSON.parse(readFileSync(resolve(ROOT, file), 'utf8'))
}
