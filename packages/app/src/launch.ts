#!/usr/bin/env node
// Entry point that clients and users start; built as dist/scorpiox-code.js by scripts/build.mjs. Compiles program.js,
// which contains main.ts, with the code cache of an earlier start if it is valid: without it, compiling takes a sixth
// of the time to the first answer. Of what program.js contains, imports only constants and small functions. Reads both
// files, then runs the program.

import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { codeCachePath, readCodeCache } from '@scorpiox/server/storage/code-cache'
import type { ProgramModule } from './main.js'

const PROGRAM_FILE = join(import.meta.dirname, 'program.js')

launch()

function launch(): void {
  const requireFromProgram = createRequire(PROGRAM_FILE)
  // Bun compiles faster than it would read such a cache.
  if (bunVersion() !== undefined) return runProgram(requireFromProgram(PROGRAM_FILE))
  const source = readFileSync(PROGRAM_FILE)
  const path = codeCachePath(readHome(), PROGRAM_FILE)
  const cachedData = path === undefined ? undefined : readCodeCache(path, source)
  // The build writes ASCII only.
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source.toString('latin1')}\n})`
  const script = new Script(wrapped, { filename: PROGRAM_FILE, ...(cachedData ? { cachedData } : {}) })
  const program = new Module(PROGRAM_FILE)
  program.filename = PROGRAM_FILE
  // The parts require the program by its path.
  requireFromProgram.cache[PROGRAM_FILE] = program
  script.runInThisContext()(program.exports, requireFromProgram, program, PROGRAM_FILE, dirname(PROGRAM_FILE))
  program.loaded = true
  const isCached = cachedData !== undefined && script.cachedDataRejected === false
  if (isCached || path === undefined) return runProgram(program.exports)
  runProgram(program.exports, { path, source, createData: () => script.createCachedData() })
}

function runProgram(
  { startProgram }: ProgramModule,
  missingCache?: Parameters<ProgramModule['startProgram']>[0],
): void {
  startProgram(missingCache)
}

// homedir() throws if the user has no passwd entry.
function readHome(): string {
  try {
    return homedir()
  } catch {
    return ''
  }
}
