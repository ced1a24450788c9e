// Finds the processes of a session in /proc: those whose environment, working directory or command line has its folder.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** @returns {{ pid: number, parent: number, command: string }[]} */
export function processesOf(root) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => readProcess(Number(name)))
    .filter((found) => found?.places.some((place) => place.includes(root)))
    .map(({ pid, parent, command }) => ({ pid, parent, command: command.slice(0, 160) }))
}

/** Waits until no process of the session is left; resolves to those that still are after `limit` milliseconds. */
export async function processesLeft(root, limit = 10_000) {
  const end = Date.now() + limit
  let left = processesOf(root)
  while (left.length > 0 && Date.now() < end) {
    await delay(50)
    left = processesOf(root)
  }
  return left
}

export function killProcesses(found) {
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has exited meanwhile.
    }
  }
}

function readProcess(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    // A zombie has exited: it only waits for its parent to collect the status.
    if (state === 'Z') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    const places = [command, readFileSync(`/proc/${pid}/environ`, 'utf8'), readlinkSync(`/proc/${pid}/cwd`)]
    return { pid, parent: Number(parent), command, places }
  } catch {
    return undefined
  }
}
