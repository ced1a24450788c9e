// Findings of the doctor: the installed executable, and each client found on this machine. Not being installed or connected
// is not a failure.

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import type { Config } from '../config/load.js'
import { Failure } from '../lib/failure.js'
import { isOlder } from '../lib/older-version.js'
import { VERSION } from '../lib/version.js'
import { askProgram } from '../platform/process.js'
import type { Launch } from './connect.js'
import type { Finding } from './finding.js'
import { NAME, readEntry } from './install/entry.js'
import { findSource, folderOf, placeOf, presenceOf, type Presence } from './install/executable.js'
import { readRecord } from './install/record.js'
import { foundTargets, lookAt, type Look } from './install/targets.js'
import { machineOf, runningProgram } from './install/this-machine.js'

const INSTALL = 'scorpiox-code install'

export async function examineInstallation(config: Config): Promise<readonly Finding[]> {
  try {
    const machine = machineOf(config)
    const directory = folderOf(config.home)
    const source = await findSource(directory, runningProgram(config))
    const path = placeOf(directory, machine.platform)
    const installed = presenceOf(path, source, readRecord(directory).executable)
    const inspected = await Promise.all(foundTargets(machine).map((target) => lookAt(target, source.launch)))
    return [
      await diagnoseExecutable(path, installed, config),
      ...inspected.map((target) => diagnoseClient(target, source.launch)),
    ]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: 'executable', ok: false, detail: 'its location is unknown', fix: error.message }]
  }
}

async function diagnoseExecutable(path: string, installed: Presence, { childEnv }: Config): Promise<Finding> {
  const name = 'executable'
  if (installed === 'absent') return { name, ok: true, detail: `not installed at ${path}`, fix: INSTALL }
  const version = /^\d+(\.\d+)+/.exec((await askProgram(path, ['--version'], childEnv)) ?? '')?.[0]
  if (version === undefined) return { name, ok: false, detail: `${path} does not start`, fix: INSTALL }
  if (isOlder(version, VERSION)) {
    return {
      name,
      ok: false,
      detail: `${path} is version ${version}, older than this program (${VERSION})`,
      fix: INSTALL,
    }
  }
  return { name, ok: true, detail: `${path}, ${version}${installed === 'current' ? ', same as this program' : ''}` }
}

function diagnoseClient({ target, state }: Look, { command }: Launch): Finding {
  const { client, file } = target
  const { name } = client
  const fix = `${INSTALL} ${client.id}`
  if (state.kind === 'absent') return { name, ok: true, detail: 'not connected', fix }
  if (state.kind === 'unusable') {
    return { name, ok: false, detail: `${file} ${state.why}`, fix: `Correct that, then run: ${fix}` }
  }
  if (state.kind === 'other-program') {
    const detail = `its entry "${NAME}" starts another program`
    return { name, ok: true, detail, fix: `Rename that entry in ${file}, then run: ${fix}` }
  }
  const program = state.kind === 'connected' ? command : (readEntry(state.entry)?.program ?? '')
  if (isAbsolute(program) && !existsSync(program)) {
    return { name, ok: false, detail: `connected to ${program}, which does not exist`, fix }
  }
  return { name, ok: true, detail: `connected to ${program}`, ...(state.kind === 'outdated' && { fix }) }
}
