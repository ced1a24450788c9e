// The command `dev`: runs a server, restarts it when its files change, and serves its inspector page until Ctrl+C.
// Called by main.ts of @scorpiox/mcp and by the command of scorpiox-code. Starts processes, opens a port, watches files.

import { relative, resolve } from 'node:path'

import { NEWEST_LEGACY, SUPPORTED_REVISIONS } from '@scorpiox/mcp/revisions/revision'

import { startFileWatcher } from './file-watcher.js'
import { openInspectorHttp } from './inspector-http.js'
import { type Inspector, openInspector } from './inspector.js'
import { CommandLineError, readServerCommand, type ServerCommand } from './server-command.js'
import { printLine, printTimed, waitForStop } from './terminal.js'
import type { InspectorEvent, InspectorState, ServerOffers } from './view.js'

/** A file that restarts the server so often within the time is written by the server itself. */
const MAX_RESTARTS = 5
const RESTARTS_WITHIN_MS = 10_000

export interface DevOptions {
  /** A file and its arguments, or a command. */
  readonly words: readonly string[]
  readonly cwd: string
  /** As typed; undefined: any free port. */
  readonly port: string | undefined
  /** undefined: the newest one that is negotiated. */
  readonly revision: string | undefined
  /** Files and folders to watch instead of the server's folder. */
  readonly watch: readonly string[]
  /** The folder with the files of the page. */
  readonly pageFolder: string
  /** The program that runs JavaScript. */
  readonly node: string
}

/** Resolves when the command was stopped and nothing of it runs any more. */
export async function runDev(options: DevOptions): Promise<void> {
  const { words, cwd, node, pageFolder } = options
  const port = readPort(options.port)
  const revision = readRevision(options.revision)
  const command = readServerCommand(words, cwd, node)
  const stopped = waitForStop()
  const inspector = openInspector(command, revision)
  inspector.subscribe(createReporter())
  const http = await openInspectorHttp(inspector, pageFolder, port)
  printLine(formatGreeting(command, http.url))
  const watcher = watchServer(command, options, inspector)
  await inspector.restart()
  await stopped
  watcher.close()
  await inspector.close()
  await http.close()
  printTimed('Stopped.')
}

function readPort(text = '0'): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new CommandLineError(`--port must be a number from 0 to 65535, got ${text}`)
}

function readRevision(text: string = NEWEST_LEGACY): string {
  if (SUPPORTED_REVISIONS.some((revision) => revision === text)) return text
  throw new CommandLineError(`--revision must be one of ${SUPPORTED_REVISIONS.join(', ')}, got ${text}`)
}

function formatGreeting({ label }: ServerCommand, url: string): string {
  return `
${label} is restarted when its files change. Its inspector is at

  ${url}

Anyone with this link can call the server until this command ends. Stop with Ctrl+C.
`
}

function watchServer(command: ServerCommand, { watch, cwd }: DevOptions, inspector: Inspector) {
  const restartsOf = new Map<string, number[]>()

  /** False for a file that the server writes itself at each start. */
  function isWorthRestart(file: string): boolean {
    const now = Date.now()
    const times = (restartsOf.get(file) ?? []).filter((at) => now - at < RESTARTS_WITHIN_MS)
    if (times.length >= MAX_RESTARTS) return false
    restartsOf.set(file, [...times, now])
    if (times.length + 1 === MAX_RESTARTS)
      printTimed(`${relative(cwd, file)} changes with every start; it restarts the server again when it is quiet.`)
    return true
  }

  const watcher = startFileWatcher({
    paths: watch.length > 0 ? watch.map((path) => resolve(cwd, path)) : [command.folder],
    entry: command.entry,
    onProblem: printTimed,
    onChange(files) {
      const changed = files.filter(isWorthRestart)
      if (changed.length === 0) return
      printTimed(`${changed.map((file) => relative(cwd, file)).join(', ')} changed: restarting`)
      watcher.refreshImports()
      void inspector.restart()
    },
  })
  return watcher
}

/** Prints what the server writes to stderr, and what becomes of its starts. */
function createReporter(): (event: InspectorEvent) => void {
  let printed = ''
  let offers: ServerOffers | undefined
  return (event) => {
    if (event.type === 'output') for (const { text } of event.lines) printLine(text)
    if (event.type === 'offers') offers = event.offers
    if (event.type === 'state') {
      const line = describeState(event.state)
      if (line !== '' && line !== printed) printTimed(line)
      printed = line
    }
    if (event.type === 'offers' && offers) printTimed(describeOffers(offers))
  }
}

function describeState({ status, problem, server }: InspectorState): string {
  if (problem)
    return status === 'failed' ? `${problem.message} It is started again when a file changes.` : problem.message
  if (status !== 'ready' || !server) return ''
  return `${server.name} ${server.version} is ready, revision ${server.revision}`
}

function describeOffers({ tools, resources, templates, prompts, problems }: ServerOffers): string {
  const counts = [
    [tools.length, 'tool'],
    [resources.length, 'resource'],
    [templates.length, 'template'],
    [prompts.length, 'prompt'],
  ] as const
  const listed = counts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}${count === 1 ? '' : 's'}`)
  return [`It offers ${listed.length === 0 ? 'nothing' : listed.join(', ')}.`, ...problems].join(' ')
}
