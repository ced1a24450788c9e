// Writes dist/sbom.cdx.json: what is in the package and what npm installs with it, as npm lists it from the lockfile,
// and the two packages whose parts the build puts into dist/.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const CARRIED = ['@photostructure/sqlite', 'preact']
const FILE = 'dist/sbom.cdx.json'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { name } = JSON.parse(readFileSync('package.json', 'utf8'))
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const list = listed()
// npm takes the name of the folder.
list.metadata.component.name = name
list.components.push(...CARRIED.map(carried))
mkdirSync('dist', { recursive: true })
writeFileSync(FILE, `${JSON.stringify(list, null, 2)}\n`)
process.stdout.write(`${FILE}: ${list.components.length} components\n`)

function listed() {
  const args = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--omit',
    'dev',
    '--package-lock-only',
  ]
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })
  if (status === 0) return JSON.parse(stdout)
  throw new Error(`npm sbom failed: ${stderr}`)
}

function carried(dependency) {
  const { version, integrity, license } = packages[`node_modules/${dependency}`]
  return {
    'bom-ref': `${dependency}@${version}`,
    type: 'library',
    name: dependency,
    version,
    scope: 'required',
    purl: `pkg:npm/${dependency.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [{ license: { id: license } }],
  }
}
