#!/usr/bin/env node
// Entry point that clients and users start; built as dist/scorpiox-code.js by scripts/build.mjs. Compiles program.js,
// which contains main.ts, and for `serve --http` what that loads, with the code caches of an earlier start if they are
// valid: without them, compiling takes a sixth of the time to the first answer. Of what program.js contains, imports
// only constants and small functions. Reads these files, then runs the program.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type Module from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { findHomeIfAny } from '@scorpiox/server/config/home'
import { codeCachePath, readCodeCache } from '@scorpiox/server/storage/code-cache'
import type { MissingCodeCache } from '@scorpiox/server/storage/write-code-cache'
import type { ProgramModule } from './main.js'

const PROGRAM_FILE = join(import.meta.dirname, 'program.js')
/** What `serve --http` loads before its first answer (scripts/build.mjs). */
const HTTP_FILES = ['common.js', 'command-line.js', 'http-start.js']
const PREFIX = '(function (exports, require, module, __filename, __dirname) {'
const SUFFIX = '\n})'

launch()

function launch(): void {
  // Bun compiles faster than it would read such a cache.
  if (bunVersion() !== undefined) return runProgram(require(PROGRAM_FILE), [])
  const isHttp = process.argv.includes('--http')
  const missing: MissingCodeCache[] = []
  const program = loadFile(PROGRAM_FILE, isHttp, missing)
  if (isHttp) for (const name of HTTP_FILES) loadFile(join(import.meta.dirname, name), isHttp, missing)
  runProgram(program, missing)
}

/** Loads a file of this folder as `require` would, which finds it then. Adds it to `missing` if it has no valid cache. */
function loadFile(file: string, isHttp: boolean, missing: MissingCodeCache[]): ProgramModule {
  const { wrapped, source } = readProgram(file)
  const path = codeCachePath(findHomeIfAny(), file, isHttp ? 'http' : 'stdio')
  const cachedData = path === undefined ? undefined : readCodeCache(path, source)
  // The build writes ASCII only.
  const script = new Script(wrapped.toString('latin1'), { filename: file, ...(cachedData ? { cachedData } : {}) })
  const loaded = createModule(file)
  // The parts require the program by its path. It is in the same folder as this file, so it can use the same `require`:
  // loading node:module to make another one takes 0.6 ms.
  require.cache[file] = loaded
  script.runInThisContext()(loaded.exports, require, loaded, file, import.meta.dirname)
  loaded.loaded = true
  const isCached = cachedData !== undefined && script.cachedDataRejected === false
  if (path !== undefined && !isCached) missing.push({ path, source, createData: () => script.createCachedData() })
  return loaded.exports
}

/** Read into its place in the wrapper, because each copy of the text takes time at every start. */
function readProgram(path: string): { readonly wrapped: Buffer; readonly source: Buffer } {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  const wrapped = Buffer.allocUnsafeSlow(PREFIX.length + size + SUFFIX.length)
  const source = wrapped.subarray(PREFIX.length, PREFIX.length + size)
  for (let at = 0; at < size;) {
    const count = readSync(file, source, at, size - at, at)
    if (count === 0) throw new Error(`${path} was replaced while it was read; start again`)
    at += count
  }
  closeSync(file)
  wrapped.write(PREFIX, 'latin1')
  wrapped.write(SUFFIX, PREFIX.length + size, 'latin1')
  return { wrapped, source }
}

function createModule(file: string): Module {
  const moduleClass: unknown = module.constructor
  if (!isModuleClass(moduleClass)) throw new Error('this file must be run as a CommonJS module')
  const created = new moduleClass(file)
  created.filename = file
  created.paths = module.paths
  return created
}

function isModuleClass(value: unknown): value is typeof Module {
  return typeof value === 'function'
}

function runProgram({ startProgram }: ProgramModule, missing: readonly MissingCodeCache[]): void {
  startProgram(missing)
}
