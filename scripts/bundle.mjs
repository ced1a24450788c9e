// Builds dist/scorpiox-code.mcpb, the bundle for Claude Desktop: the program, its dependencies and a manifest. Requires
// dist/. The image libraries are platform-specific: the bundle contains those of this machine, or with --all those of every
// desktop platform.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { askProgram } from './ask-program.mjs'
import { bundleManifest } from './bundle-manifest.mjs'
import { installedPackages } from './installed-packages.mjs'

const DESKTOPS = ['darwin-arm64', 'darwin-x64', 'win32-x64', 'linux-x64']
const OUTPUT = 'dist/scorpiox-code.mcpb'
const EXCLUDED = /^(docs|examples|dist\/types|dist\/library)/

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const all = process.argv.includes('--all')
const platforms = all ? DESKTOPS : [`${process.platform}-${process.arch}`]
const stage = mkdtempSync(join(tmpdir(), 'scorpiox-bundle-'))
try {
  for (const file of ['package.json', 'package-lock.json', ...workspaceManifests()]) copy(file)
  npm(['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], stage)
  removeUnlistedPackages()
  if (all) addImagePackages()
  for (const path of packedFiles().filter(isWanted)) copy(path)
  const systems = [...new Set(platforms.map((platform) => platform.split('-')[0]))]
  writeFileSync(
    join(stage, 'manifest.json'),
    `${JSON.stringify(bundleManifest(askProgram('tools'), systems), null, 2)}\n`,
  )
  mcpb(['validate', join(stage, 'manifest.json')])
  mcpb(['pack', stage, OUTPUT])
} finally {
  rmSync(stage, { recursive: true, force: true })
}
process.stdout.write(`${OUTPUT}: ${(statSync(OUTPUT).size / 1e6).toFixed(1)} MB for ${platforms.join(', ')}\n`)

function copy(path) {
  mkdirSync(dirname(join(stage, path)), { recursive: true })
  cpSync(path, join(stage, path))
}

/** `npm ci` compares them with the lockfile; their code is part of dist/. */
function workspaceManifests() {
  const workspaces = Object.values(lock.packages).filter(({ link }) => link)
  return workspaces.map(({ resolved }) => `${resolved}/package.json`)
}

/** npm also installs development packages that are optional peers of others; remove them. */
function removeUnlistedPackages() {
  const installed = installedPackages(lock)
  for (const path of Object.keys(lock.packages)) {
    if (path !== '' && !(path in installed)) rmSync(join(stage, path), { recursive: true, force: true })
  }
  rmSync(join(stage, 'packages'), { recursive: true, force: true })
}

function isWanted(path) {
  if (path.startsWith('dist/sqlite/') && path.endsWith('.node')) {
    return platforms.some((platform) => path.startsWith(`dist/sqlite/${platform}-`))
  }
  return !EXCLUDED.test(path)
}

function packedFiles() {
  const [{ files }] = JSON.parse(npm(['pack', '--dry-run', '--json', '--ignore-scripts'], '.'))
  return files.map(({ path }) => path)
}

/** The versions of the lockfile, independent of this machine. */
function addImagePackages() {
  for (const platform of DESKTOPS) {
    for (const name of [`@img/sharp-${platform}`, `@img/sharp-libvips-${platform}`]) {
      const locked = lock.packages[`node_modules/${name}`]
      const folder = join(stage, 'node_modules', name)
      if (!locked || existsSync(folder)) continue
      const [{ filename, integrity }] = JSON.parse(npm(['pack', `${name}@${locked.version}`, '--json'], stage))
      if (integrity !== locked.integrity) throw new Error(`${name} is not what the lockfile says`)
      mkdirSync(folder, { recursive: true })
      execFileSync('tar', ['-xzf', join(stage, filename), '-C', folder, '--strip-components=1'])
      rmSync(join(stage, filename))
    }
  }
}

/** The official tool in the version of judges/. */
function mcpb(args) {
  const name = '@anthropic-ai/mcpb'
  const installed = join('judges/node_modules', name, 'dist/cli/cli.js')
  const stdio = ['ignore', 'ignore', 'inherit']
  if (existsSync(installed)) return execFileSync(process.execPath, [installed, ...args], { stdio })
  const { dependencies } = JSON.parse(readFileSync('judges/package.json', 'utf8'))
  return execFileSync('npx', ['--yes', `${name}@${dependencies[name]}`, ...args], { stdio, shell: onWindows() })
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell: onWindows() })
}

function onWindows() {
  return process.platform === 'win32'
}
