// The project of each server that this browser has seen, so that the address of a job leads to the same job after another
// server of its project has taken it over. Used by console-page and the jobs. Reads and writes localStorage.

import type { ServerView } from '../view.js'

const STORAGE_KEY = 'server-projects'
/** The oldest are forgotten: addresses with them say that the job is not listed. */
const MAX_SERVERS = 100

let projects: ReadonlyMap<string, string> | undefined

export function rememberServers(servers: readonly Pick<ServerView, 'id' | 'project'>[]): void {
  projects ??= readStored()
  const known = projects
  if (servers.every(({ id, project }) => known.get(id) === project)) return
  // Another tab may have seen others.
  const all = new Map([...readStored(), ...known, ...servers.map(({ id, project }) => [id, project] as const)])
  projects = new Map([...all].slice(-MAX_SERVERS))
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([...projects]))
  } catch {
    // They are remembered until the page is closed.
  }
}

export function findProjectOfServer(server: string): string | undefined {
  return (projects ??= readStored()).get(server)
}

function readStored(): ReadonlyMap<string, string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return new Map(Array.isArray(stored) ? stored.filter(isPair) : [])
  } catch {
    return new Map()
  }
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string'
}
