// A user's home directory, and commands run in it.

import { execFile } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { cleanEnv, emptyFolder, PROGRAM } from '../support/client.js'

export interface CommandResult {
  readonly code: number
  readonly text: string
}

export interface UserHome {
  readonly home: string
  /** The working directory of commands. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The path of the executable. */
  readonly executablePath: string
  write(name: string, text: string | Buffer): string
  read(name: string): string
  /** Runs a command without a terminal. */
  run(...args: readonly string[]): Promise<CommandResult>
  /** Every file and link below the home, except backups and the cache of Bun. */
  allFiles(): ReadonlyMap<string, string>
}

export function newUserHome(program: string = PROGRAM, more: NodeJS.ProcessEnv = {}): UserHome {
  // Without HOME a runtime may use that of the user who runs the tests.
  if (more.HOME === '') throw new Error('a person in these tests has a home of their own')
  const home = more.HOME ?? emptyFolder()
  const temporary = emptyFolder()
  const cwd = emptyFolder()
  // The repository may be in a temporary directory, and must count as permanent.
  const env = cleanEnv({ HOME: home, TMPDIR: temporary, ...more })
  return {
    home,
    cwd,
    env,
    executablePath: join(home, '.scorpiox', 'scorpiox-code'),
    write(name, text) {
      const path = join(home, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
    read: (name) => readFileSync(join(home, name), 'utf8'),
    run: (...args) =>
      new Promise((done) => {
        execFile(process.execPath, [program, ...args], { cwd, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
          done({ code: error ? Number(error.code) : 0, text: stdout + stderr })
        })
      }),
    allFiles: () => new Map(filesBelow(home).map((name) => [name, contentOf(join(home, name))])),
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !lstatSync(join(folder, name)).isDirectory() && !/\.scorpiox-backup-|^\.bun\//.test(name))
    .toSorted()
}

function contentOf(path: string): string {
  return lstatSync(path).isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'latin1')
}
