// `scorpiox-code install [client…]`: puts the executable at its place and connects the clients that are used here.

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import { writePersonsFile } from '../../store/persons-file.js'
import type { Arguments } from '../args.js'
import type { Launch } from '../connect.js'
import { carryOut, type Step } from './carry-out.js'
import { CLIENTS } from './clients.js'
import { entryFor, NAME } from './entry.js'
import { findSource, folderOf, placeOf, presenceOf, putExecutable, type Source } from './executable.js'
import type { Trace } from './format.js'
import { readRecord, writeRecord } from './record.js'
import { keptIn, shownAddition, shownUpdate } from './shown-change.js'
import { foundTargets, lookAt, namedTargets, type Look } from './targets.js'
import { machineOf, runningProgram } from './this-machine.js'

export async function installFromTerminal(config: Config, { operands, flags }: Arguments): Promise<number> {
  const machine = machineOf(config)
  const folder = folderOf(config.home)
  const source = await findSource(folder, runningProgram(config))
  const targets = operands.length > 0 ? namedTargets(operands, machine) : foundTargets(machine)
  const looks = await Promise.all(targets.map((target) => lookAt(target, source.launch)))
  const steps = looks.map((look) => connecting(look, source.launch, folder, operands.length > 0))
  const first = placing(folder, machine.platform, source)
  const closing = steps.some((step) => step.perform)
    ? '\nRestart the clients that are running: they read this when they start.\n'
    : targets.length === 0
      ? noClient()
      : ''
  return carryOut({ command: 'install', first, steps, closing }, flags, config)
}

function placing(folder: string, platform: NodeJS.Platform, source: Source): Step {
  const place = placeOf(folder, platform)
  const presence = presenceOf(place, source, readRecord(folder).executable)
  const isMade = source.file !== undefined || source.text !== undefined
  const isCurrent = presence === 'current' && source.carried === undefined
  const base = { title: 'The executable', place, lines: [], isStuck: false }
  if (isCurrent) return { ...base, note: 'already in its place' }
  if (!isMade && source.carried === undefined) {
    return {
      ...base,
      place: '',
      note: `none is built for this system; clients start ${source.launch.command} themselves`,
    }
  }
  const perform = (): string => {
    const { hash, kept } = putExecutable(folder, place, source, presence, new Date())
    writeRecord(folder, { ...readRecord(folder), executable: hash })
    const moved = kept === undefined ? '' : `; what was there is now ${kept}`
    return `${isMade ? `is at ${place}` : 'the program is copied'}${moved}`
  }
  return { ...base, note: whatIsPut(source, presence === 'foreign'), perform }
}

function whatIsPut({ file, text, carried }: Source, isForeign: boolean): string {
  const what =
    file === undefined
      ? `${text === undefined ? 'a copy of' : 'a script that starts'} this program${carried === undefined ? '' : ', which is copied beside it'}`
      : `a copy of ${file}`
  return `${what}${isForeign ? '; something else is there, which is kept under another name' : ''}`
}

function connecting(look: Look, launch: Launch, folder: string, isNamed: boolean): Step {
  const { target, state } = look
  const { client } = target
  const base = { title: client.name, place: target.file, lines: [], isStuck: false }
  const stuck = (why: string): Step => ({
    ...base,
    note: `left alone: it ${why}. ${byHand(look, launch)}`,
    isStuck: true,
  })
  if (state.kind === 'connected') return { ...base, note: 'already connected' }
  if (state.kind === 'foreign') {
    return { ...base, note: `left alone: its entry "${NAME}" starts another program`, isStuck: isNamed }
  }
  if (state.kind === 'stuck') return stuck(state.why)
  try {
    return { ...base, note: undefined, ...change(look, launch, folder) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return stuck(error.message)
  }
}

function byHand({ target: { client }, format }: Look, launch: Launch): string {
  const snippet = format.snippet(client.container, entryFor(client, launch))
  return `Put that right and run this again, or paste this into it yourself:\n${snippet.replace(/^/gm, '    ')}`
}

function change(
  { target, format, file, state }: Look,
  launch: Launch,
  folder: string,
): Pick<Step, 'lines' | 'perform'> {
  const { client } = target
  if (file === undefined) return { lines: [] }
  const text = file.text ?? ''
  if (state.kind === 'outdated') {
    const { entry, command, args } = state
    const changed = format.change(text, client.container, command, args)
    return {
      lines: shownUpdate(client, entry, command, args),
      perform: () => connected(writePersonsFile(file, changed, new Date())),
    }
  }
  const entry = entryFor(client, launch)
  const added = format.add(text, client.container, entry)
  return {
    lines: shownAddition(client, entry, added.trace.made),
    perform() {
      const backup = writePersonsFile(file, added.text, new Date())
      remember(folder, file.path, added.trace, file.text === undefined)
      return connected(backup)
    },
  }
}

function remember(folder: string, path: string, trace: Trace, isNew: boolean): void {
  const record = readRecord(folder)
  writeRecord(folder, { ...record, files: new Map([...record.files, [path, { ...trace, isNew }]]) })
}

function connected(backup: string | undefined): string {
  return `connected${keptIn(backup)}`
}

function noClient(): string {
  const names = CLIENTS.map(({ id }) => id).join(', ')
  return `\nNo client was found here. To connect one all the same, name it: scorpiox-code install <client>\nThe clients are ${names}.\n`
}
