// Writes dist/sbom.cdx.json: the packages that npm installs with this one, from `npm sbom`, and the three packages that the
// build bundles into dist/.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { installedPackages } from './installed-packages.mjs'

const BUNDLED_PACKAGES = ['node_modules/@photostructure/sqlite', 'node_modules/@xterm/xterm', 'node_modules/preact']
const FILE = 'dist/sbom.cdx.json'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { name } = JSON.parse(readFileSync('package.json', 'utf8'))
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const list = runNpmSbom()
// npm uses the name of the directory.
list.metadata.component.name = name
const included = new Set(
  [...Object.keys(installedPackages(lock)), ...BUNDLED_PACKAGES].map(
    (path) => `${path.split('node_modules/').at(-1)}@${lock.packages[path].version}`,
  ),
)
list.components = list.components.filter((component) => included.has(component['bom-ref']))
list.dependencies = list.dependencies
  .filter(({ ref }) => included.has(ref) || ref === list.metadata.component['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => included.has(other)) }))
mkdirSync('dist', { recursive: true })
writeFileSync(FILE, `${JSON.stringify(list, null, 2)}\n`)
process.stdout.write(`${FILE}: ${list.components.length} components\n`)

function runNpmSbom() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })
  if (status === 0) return JSON.parse(stdout)
  throw new Error(`npm sbom failed: ${stderr}`)
}
