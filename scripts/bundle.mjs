// Builds dist/scorpiox-code.mcpb, which Claude Desktop installs with a double click: the program, what it needs at run
// time, and a manifest. Needs dist/. What decodes images is made for one platform: the bundle has that of this machine,
// or with --all those of every desktop.

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
const LEFT_OUT = /^(docs|examples|dist\/types|dist\/library)/

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const all = process.argv.includes('--all')
const platforms = all ? DESKTOPS : [`${process.platform}-${process.arch}`]
const stage = mkdtempSync(join(tmpdir(), 'scorpiox-bundle-'))
try {
  for (const file of ['package.json', 'package-lock.json']) cpSync(file, join(stage, file))
  npm(['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], stage)
  leaveOutStrangers()
  if (all) addImagePackages()
  for (const path of packedFiles().filter(isWanted)) {
    mkdirSync(dirname(join(stage, path)), { recursive: true })
    cpSync(path, join(stage, path))
  }
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

/** npm also brings what is only for development if something else would like to have it. */
function leaveOutStrangers() {
  const installed = installedPackages(lock)
  for (const path of Object.keys(lock.packages)) {
    if (path !== '' && !(path in installed)) rmSync(join(stage, path), { recursive: true, force: true })
  }
}

function isWanted(path) {
  if (path.startsWith('dist/sqlite/') && path.endsWith('.node')) {
    return platforms.some((platform) => path.startsWith(`dist/sqlite/${platform}-`))
  }
  return !LEFT_OUT.test(path)
}

function packedFiles() {
  const [{ files }] = JSON.parse(npm(['pack', '--dry-run', '--json', '--ignore-scripts'], '.'))
  return files.map(({ path }) => path)
}

/** The same versions as the lockfile has, whatever this machine is. */
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

/** The official tool, at the version the judges have. */
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
