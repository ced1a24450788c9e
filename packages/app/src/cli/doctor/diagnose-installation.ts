// Findings of the doctor, called by runDoctor in cli/commands.ts: the installed executable, and each client found on
// this machine. Not being installed or connected is not a failure. Reads the configuration files of the clients and
// runs the executable with `--version`.

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '@scorpiox/server/config/load-config'
import { readProgramOutput } from '@scorpiox/server/process/run-program'
import { isOlderVersion } from '@scorpiox/server/text/compare-versions'
import { VERSION } from '@scorpiox/server/config/version'
import { readInstallRecord } from '../../install/install-record.js'
import {
  compareInstalled,
  executablePath,
  findInstallSource,
  installDirectory,
  type InstalledState,
} from '../../install/installed-program.js'
import { readMachineInfo, readRunningProgram } from '../../install/machine-info.js'
import { ENTRY_NAME, parseOwnEntry } from '../../install/own-entry.js'
import { detectTargets, type InspectedTarget, inspectTarget } from '../../install/targets.js'
import type { LaunchCommand } from '../../program-info.js'
import type { Finding } from './doctor.js'

const INSTALL = 'scorpiox-code install'

export async function diagnoseInstallation(config: Config): Promise<readonly Finding[]> {
  try {
    const machine = readMachineInfo(config)
    const directory = installDirectory(config.home)
    const source = await findInstallSource(directory, readRunningProgram(config))
    const path = executablePath(directory, machine.platform)
    const installed = compareInstalled(path, source, readInstallRecord(directory).executable)
    const inspected = await Promise.all(detectTargets(machine).map((target) => inspectTarget(target, source.launch)))
    return [
      await diagnoseExecutable(path, installed, config),
      ...inspected.map((target) => diagnoseClient(target, source.launch)),
    ]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: 'executable', ok: false, detail: 'its location is unknown', fix: error.message }]
  }
}

async function diagnoseExecutable(path: string, installed: InstalledState, { childEnv }: Config): Promise<Finding> {
  const name = 'executable'
  if (installed === 'absent') return { name, ok: true, detail: `not installed at ${path}`, fix: INSTALL }
  const version = /^\d+(\.\d+)+/.exec((await readProgramOutput(path, ['--version'], childEnv)) ?? '')?.[0]
  if (version === undefined) return { name, ok: false, detail: `${path} does not start`, fix: INSTALL }
  if (isOlderVersion(version, VERSION)) {
    return {
      name,
      ok: false,
      detail: `${path} is version ${version}, older than this program (${VERSION})`,
      fix: INSTALL,
    }
  }
  return { name, ok: true, detail: `${path}, ${version}${installed === 'current' ? ', same as this program' : ''}` }
}

function diagnoseClient({ target, state }: InspectedTarget, { command }: LaunchCommand): Finding {
  const { client, file } = target
  const { name } = client
  const fix = `${INSTALL} ${client.id}`
  if (state.kind === 'absent') return { name, ok: true, detail: 'not connected', fix }
  if (state.kind === 'unusable') {
    return { name, ok: false, detail: `${file} ${state.why}`, fix: `Correct that, then run: ${fix}` }
  }
  if (state.kind === 'other-program') {
    const detail = `its entry "${ENTRY_NAME}" starts another program`
    return { name, ok: true, detail, fix: `Rename that entry in ${file}, then run: ${fix}` }
  }
  const program = state.kind === 'connected' ? command : (parseOwnEntry(state.entry)?.program ?? '')
  if (isAbsolute(program) && !existsSync(program)) {
    return { name, ok: false, detail: `connected to ${program}, which does not exist`, fix }
  }
  return { name, ok: true, detail: `connected to ${program}`, ...(state.kind === 'outdated' && { fix }) }
}
