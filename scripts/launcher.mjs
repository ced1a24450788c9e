// Builds the shell launcher (packages/server/src/process/launcher/shell-launcher.c) for the processors that have one, and
// writes it there as base64 text. With the compilers named below the result is the same everywhere; `--check` compares
// it with what is there, and exits with 69 where a compiler is missing or differs.

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const FOLDER = resolve(import.meta.dirname, '../packages/server/src/process/launcher')
const COMPILER_VERSION = '12.2.0'
const FLAGS =
  '-std=gnu17 -Os -static -nostdlib -ffreestanding -fno-pie -no-pie -fno-stack-protector -fno-asynchronous-unwind-tables ' +
  '-fno-tree-loop-distribute-patterns -fno-ident -Wall -Wextra -Werror ' +
  '-Wl,--build-id=none,-z,norelro,-z,noexecstack,-z,noseparate-code -s'
const TARGETS = [
  {
    architecture: 'x64',
    compiler: 'x86_64-linux-gnu-gcc',
    flags: ['-march=x86-64', '-mno-red-zone', '-Wl,-z,max-page-size=4096'],
  },
  { architecture: 'arm64', compiler: 'aarch64-linux-gnu-gcc', flags: ['-march=armv8-a', '-mno-outline-atomics'] },
]
const EXIT_UNAVAILABLE = 69

const versionOf = (compiler) => {
  try {
    return execFileSync(compiler, ['-dumpfullversion'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

/** The kernel's headers are a package of their own. */
const hasHeaders = (compiler) =>
  spawnSync(compiler, ['-E', '-'], { input: '#include <asm/unistd.h>\n#include <linux/futex.h>\n', stdio: 'pipe' })
    .status === 0

const build = ({ compiler, flags }, folder) => {
  const output = join(folder, 'shell-launcher')
  // A relative name, so that no path of this machine is part of the result.
  execFileSync(compiler, [...FLAGS.split(' '), ...flags, '-o', output, 'shell-launcher.c'], {
    cwd: FOLDER,
    stdio: 'inherit',
  })
  return readFileSync(output)
}

const toText = (program) => `${program.toString('base64').replaceAll(/.{76}/g, '$&\n')}\n`

const isCheck = process.argv.includes('--check')
const folder = mkdtempSync(join(tmpdir(), 'launcher-'))
try {
  for (const target of TARGETS) {
    const version = versionOf(target.compiler)
    if (version !== COMPILER_VERSION || !hasHeaders(target.compiler)) {
      const found =
        version === undefined
          ? 'not there'
          : `version ${version}, ${hasHeaders(target.compiler) ? 'with' : 'without'} headers`
      console.error(
        `${target.compiler} ${COMPILER_VERSION} is needed, and is ${found}. On Debian 12: apt-get install \\`,
      )
      console.error(
        '  gcc-x86-64-linux-gnu gcc-aarch64-linux-gnu linux-libc-dev-amd64-cross linux-libc-dev-arm64-cross',
      )
      process.exitCode = EXIT_UNAVAILABLE
      break
    }
    const program = build(target, folder)
    const file = join(FOLDER, `shell-launcher-${target.architecture}.base64`)
    const hash = createHash('sha256').update(program).digest('hex')
    if (!isCheck) writeFileSync(file, toText(program))
    else if (readFileSync(file, 'utf8') !== toText(program)) process.exitCode = 1
    console.log(
      `${hash}  shell-launcher-${target.architecture} (${program.length} bytes)${process.exitCode ? ' DIFFERS' : ''}`,
    )
  }
} finally {
  rmSync(folder, { recursive: true })
}
