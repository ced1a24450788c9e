// Watches the files of the server under development: those in its folders, and those elsewhere that it imports. Folders
// are watched one by one, because a recursive watch of Node.js would include node_modules. Used by run-dev.ts. Watches
// files; sets timers.

import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

import { findImports } from './find-imports.js'

const MAX_FOLDERS = 2000
/** Editors write a file in several steps. */
const QUIET_MS = 100
const SKIPPED_FOLDER = /^(\..*|node_modules|__pycache__|venv|coverage)$/
/** Of editors, databases and logs. */
const SKIPPED_FILE = /^\.(?!env)|~$|^4913$|\.(swp|swx|tmp|temp|log|lock|pid|pyc|sqlite3?|db)(-\w+)?$|___$/

export interface WatchOptions {
  /** Folders, or single files. */
  readonly paths: readonly string[]
  /** The file whose imports are watched too. */
  readonly entry: string | undefined
  /** Called with the files that changed, once they have not changed for a moment. */
  readonly onChange: (files: readonly string[]) => void
  /** A sentence. */
  readonly onProblem: (message: string) => void
}

export interface FileWatcher {
  /** Reads the imports again, after a change. */
  refreshImports(): void
  close(): void
}

export function startFileWatcher({ paths, entry, onChange, onProblem }: WatchOptions): FileWatcher {
  const watchers = new Map<string, FSWatcher>()
  const changed = new Set<string>()
  /** Folders in which only these files matter. */
  const singleFiles = new Map<string, Set<string>>()
  let timer: NodeJS.Timeout | undefined
  let hasProblem = false

  function report(message: string): void {
    if (!hasProblem) onProblem(message)
    hasProblem = true
  }

  function watchFolder(folder: string): void {
    if (watchers.has(folder)) return
    if (watchers.size >= MAX_FOLDERS)
      return report(`Only the first ${MAX_FOLDERS} folders are watched. Name those of your code with --watch.`)
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name !== null) noteChange(folder, name)
      })
      watcher.on('error', () => stopWatching(folder))
      watchers.set(folder, watcher)
    } catch (error) {
      report(
        `Cannot watch ${folder} (${error instanceof Error ? error.message : ''}). Changes in it do not restart the server.`,
      )
    }
  }

  function stopWatching(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  function watchTree(folder: string): void {
    singleFiles.delete(folder)
    watchFolder(folder)
    for (const entryOfFolder of listFolder(folder)) watchTree(join(folder, entryOfFolder))
  }

  function watchFile(path: string): void {
    const folder = dirname(path)
    const names = singleFiles.get(folder)
    if (names) names.add(basename(path))
    else if (!watchers.has(folder)) {
      singleFiles.set(folder, new Set([basename(path)]))
      watchFolder(folder)
    }
  }

  function noteChange(folder: string, name: string): void {
    const only = singleFiles.get(folder)
    if (only && !only.has(name)) return
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) {
      if (!SKIPPED_FOLDER.test(name) && !watchers.has(path)) watchTree(path)
      return
    }
    if (watchers.has(path)) return stopWatching(path)
    if (SKIPPED_FILE.test(name)) return
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(flush, QUIET_MS)
  }

  function flush(): void {
    const files = [...changed]
    changed.clear()
    onChange(files)
  }

  function refreshImports(): void {
    if (entry === undefined) return
    for (const file of findImports(entry)) if (!file.includes(`${sep}node_modules${sep}`)) watchFile(file)
  }

  for (const path of paths) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) watchTree(path)
    else watchFile(path)
  }
  refreshImports()
  return {
    refreshImports,
    close() {
      clearTimeout(timer)
      for (const folder of watchers.keys()) stopWatching(folder)
    },
  }
}

/** The names of folders below it that are watched. */
function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !SKIPPED_FOLDER.test(entry.name))
      .map(({ name }) => name)
  } catch {
    return []
  }
}
