// A person with a home of their own, and the commands they type there.

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, lstatSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { cleanEnv, emptyFolder, PROGRAM } from '../support.js'

export interface Said {
  readonly code: number
  readonly text: string
}

export interface Person {
  readonly home: string
  /** Where commands are typed. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Where the executable belongs. */
  readonly place: string
  write(name: string, text: string | Buffer): string
  read(name: string): string
  /** Types a command where there is no terminal. */
  run(...args: readonly string[]): Promise<Said>
  /** Every file and link below the home, but for backups and what Bun caches there. */
  everything(): ReadonlyMap<string, string>
}

export function newPerson(program: string = PROGRAM, more: NodeJS.ProcessEnv = {}): Person {
  // Where none is named, a runtime may take that of whoever runs the tests.
  if (more.HOME === '') throw new Error('a person in these tests has a home of their own')
  const home = more.HOME ?? emptyFolder()
  const temporary = emptyFolder()
  const cwd = emptyFolder()
  // The repository may lie where temporary things do, and is to count as lasting.
  const env = cleanEnv({ HOME: home, TMPDIR: temporary, ...more })
  return {
    home,
    cwd,
    env,
    place: join(home, '.scorpiox', 'scorpiox-code'),
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
    everything: () => new Map(filesBelow(home).map((name) => [name, contentOf(join(home, name))])),
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
