// Creates the folder with the askpass program of commands, in the folder of a supervisor: what programs such as sudo,
// ssh and git run to ask for a password. Used by supervisor.ts; the folder is bound into the sandbox of its commands.
// features/secrets opens the socket in it that answers. Writes one folder and one file.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import ASKPASS from './askpass.sh?raw'
import { quoteShellWord } from './shell-quote.js'

const FOLDER_NAME = 'askpass'
const PROGRAM_NAME = 'askpass'
/** Identifies the command that asks. Set for each command by the supervisor script. */
const KEY_VARIABLE = 'SCORPIOX_ASKPASS_KEY'

const NO_CONSOLE =
  'neither the console page (scorpiox-code ui) nor the inbox (scorpiox-code inbox) is open. Ask the user to open one, ' +
  'then run the command again.'
const OUTLIVES =
  'JOBS_OUTLIVE_SERVER is on, so the output of commands is recorded without the server, and a password in it could not be redacted.'

/** `keptIn`: where it stays when the server has ended, for jobs that outlive it and are refused then. */
export function createAskpassFolder(poolDirectory: string, jobsOutliveServer: boolean, keptIn?: string): string {
  if (keptIn === undefined) return writeProgram(join(poolDirectory, FOLDER_NAME), jobsOutliveServer)
  try {
    return writeProgram(join(keptIn, FOLDER_NAME), jobsOutliveServer)
  } catch {
    return writeProgram(join(poolDirectory, FOLDER_NAME), jobsOutliveServer)
  }
}

function writeProgram(folder: string, jobsOutliveServer: boolean): string {
  const variables = [
    `runtime=${quoteShellWord(process.execPath)}`,
    `refusal=${quoteShellWord(jobsOutliveServer ? OUTLIVES : NO_CONSOLE)}`,
  ]
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const path = join(folder, PROGRAM_NAME)
  const newPath = `${path}.${process.pid}`
  // One that is running must not change.
  writeFileSync(newPath, ['#!/bin/sh', ...variables, ASKPASS].join('\n'), { mode: 0o700 })
  renameSync(newPath, path)
  return folder
}

/** The environment with the askpass program, unless the user has one that may know the answer. */
export function withAskpass(env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const program = join(folder, PROGRAM_NAME)
  // In a command of another server, its variables name a program that does not know our commands.
  const own = env[KEY_VARIABLE] === undefined ? env : {}
  return {
    ...env,
    SUDO_ASKPASS: own.SUDO_ASKPASS || program,
    GIT_ASKPASS: own.GIT_ASKPASS || program,
    SSH_ASKPASS: program,
    // ssh would otherwise want a terminal or a display.
    SSH_ASKPASS_REQUIRE: 'force',
  }
}
