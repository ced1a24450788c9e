#!/usr/bin/env node
// Entry point that clients and users start; built as dist/scorpiox-code.js by scripts/build.mjs. Compiles program.js,
// which contains main.ts, with the code cache of an earlier start if it is valid: without it, compiling takes a sixth
// of the time to the first answer. Of what program.js contains, imports only constants and small functions. Reads both
// files, then runs the program.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type Module from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { findHomeIfAny } from '@scorpiox/server/config/home'
import { codeCachePath, readCodeCache } from '@scorpiox/server/storage/code-cache'
import type { ProgramModule } from './main.js'

const PROGRAM_FILE = join(import.meta.dirname, 'program.js')
const PREFIX = '(function (exports, require, module, __filename, __dirname) {'
const SUFFIX = '\n})'

launch()

function launch(): void {
  // Bun compiles faster than it would read such a cache.
  if (bunVersion() !== undefined) return runProgram(require(PROGRAM_FILE))
  const { wrapped, source } = readProgram()
  const path = codeCachePath(findHomeIfAny(), PROGRAM_FILE)
  const cachedData = path === undefined ? undefined : readCodeCache(path, source)
  // The build writes ASCII only.
  const script = new Script(wrapped.toString('latin1'), {
    filename: PROGRAM_FILE,
    ...(cachedData ? { cachedData } : {}),
  })
  const program = createModule()
  // The parts require the program by its path. It is in the same folder as this file, so it can use the same `require`:
  // loading node:module to make another one takes 0.6 ms.
  require.cache[PROGRAM_FILE] = program
  script.runInThisContext()(program.exports, require, program, PROGRAM_FILE, import.meta.dirname)
  program.loaded = true
  const isCached = cachedData !== undefined && script.cachedDataRejected === false
  if (isCached || path === undefined) return runProgram(program.exports)
  runProgram(program.exports, { path, source, createData: () => script.createCachedData() })
}

/** Read into its place in the wrapper, because each copy of the text takes time at every start. */
function readProgram(): { readonly wrapped: Buffer; readonly source: Buffer } {
  const file = openSync(PROGRAM_FILE, 'r')
  const { size } = fstatSync(file)
  const wrapped = Buffer.allocUnsafeSlow(PREFIX.length + size + SUFFIX.length)
  const source = wrapped.subarray(PREFIX.length, PREFIX.length + size)
  for (let at = 0; at < size;) {
    const count = readSync(file, source, at, size - at, at)
    if (count === 0) throw new Error(`${PROGRAM_FILE} was replaced while it was read; start again`)
    at += count
  }
  closeSync(file)
  wrapped.write(PREFIX, 'latin1')
  wrapped.write(SUFFIX, PREFIX.length + size, 'latin1')
  return { wrapped, source }
}

function createModule(): Module {
  const moduleClass: unknown = module.constructor
  if (!isModuleClass(moduleClass)) throw new Error('this file must be run as a CommonJS module')
  const program = new moduleClass(PROGRAM_FILE)
  program.filename = PROGRAM_FILE
  program.paths = module.paths
  return program
}

function isModuleClass(value: unknown): value is typeof Module {
  return typeof value === 'function'
}

function runProgram(
  { startProgram }: ProgramModule,
  missingCache?: Parameters<ProgramModule['startProgram']>[0],
): void {
  startProgram(missingCache)
}
