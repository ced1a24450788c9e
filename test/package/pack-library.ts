// The package @scorpiox/mcp as npm would publish it, and a project in which it is installed.

import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { emptyFolder } from '../support/client.js'

const ROOT = resolve(import.meta.dirname, '../..')
const PACKED_FILES = ['package.json', 'README.md', 'LICENSE', 'dist', 'docs'].map((name) => `packages/mcp/${name}`)

interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Writes the tarball into the folder. Packs a copy, because the scripts of npm change the README. */
export function packLibrary(folder: string): Packed {
  const copy = emptyFolder()
  for (const path of [...PACKED_FILES, 'scripts/package-readme.mjs'])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  const args = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', folder]
  const output = npm(args, join(copy, 'packages/mcp'))
  const readme = 'packages/mcp/README.md'
  if (readFileSync(join(copy, readme), 'utf8') !== readFileSync(join(ROOT, readme), 'utf8'))
    throw new Error('npm pack did not restore the README')
  const [packed]: readonly Packed[] = JSON.parse(output)
  if (packed === undefined) throw new Error(`npm pack printed ${output}`)
  return packed
}

/** Installs a tarball in the project of the folder, without a network. Returns the number of packages that npm added. */
export function installPacked(filename: string, folder: string): number {
  const output = npm(['install', '--offline', '--no-audit', '--no-fund', '--json', `./${filename}`], folder)
  return JSON.parse(output).added
}

function npm(args: readonly string[], cwd: string): string {
  const shell = process.platform === 'win32'
  return execFileSync('npm', args, { cwd, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'ignore'] })
}
