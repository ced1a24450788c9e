// What the doctor says about how it is installed: the executable at its place, and each client that is used here. That
// something is not installed or not connected is no illness.

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
    const folder = folderOf(config.home)
    const source = await findSource(folder, runningProgram(config))
    const place = placeOf(folder, machine.platform)
    const presence = presenceOf(place, source, readRecord(folder).executable)
    const looks = await Promise.all(foundTargets(machine).map((target) => lookAt(target, source.launch)))
    return [
      await examineExecutable(place, presence, config),
      ...looks.map((look) => examineClient(look, source.launch)),
    ]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: 'executable', ok: false, detail: 'it cannot be said where it belongs', fix: error.message }]
  }
}

async function examineExecutable(place: string, presence: Presence, { childEnv }: Config): Promise<Finding> {
  const name = 'executable'
  if (presence === 'absent') return { name, ok: true, detail: `not installed at ${place}`, fix: INSTALL }
  const version = /^\d+(\.\d+)+/.exec((await askProgram(place, ['--version'], childEnv)) ?? '')?.[0]
  if (version === undefined) return { name, ok: false, detail: `${place} does not start`, fix: INSTALL }
  if (isOlder(version, VERSION)) {
    return { name, ok: false, detail: `${place} is ${version}, older than this, which is ${VERSION}`, fix: INSTALL }
  }
  return { name, ok: true, detail: `${place}, ${version}${presence === 'current' ? ', the same as this' : ''}` }
}

function examineClient({ target, state }: Look, { command }: Launch): Finding {
  const { client, file } = target
  const { name } = client
  const fix = `${INSTALL} ${client.id}`
  if (state.kind === 'free') return { name, ok: true, detail: 'not connected', fix }
  if (state.kind === 'stuck') {
    return { name, ok: false, detail: `${file} ${state.why}`, fix: `Put that right, and then: ${fix}` }
  }
  if (state.kind === 'foreign') {
    const detail = `its entry "${NAME}" starts another program`
    return { name, ok: true, detail, fix: `Give that entry another name in ${file}, and then: ${fix}` }
  }
  const starts = state.kind === 'connected' ? command : (readEntry(state.entry)?.program ?? '')
  if (isAbsolute(starts) && !existsSync(starts)) {
    return { name, ok: false, detail: `connected to ${starts}, which is not there`, fix }
  }
  return { name, ok: true, detail: `connected to ${starts}`, ...(state.kind === 'outdated' && { fix }) }
}
