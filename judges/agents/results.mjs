// What the last run found out about each client, kept in results.json; `npm run generate` makes the table of docs/clients.md of it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drivers } from './drivers.mjs'
import { expectEqual } from './expect.mjs'

const file = join(import.meta.dirname, 'results.json')
/** Sizes change with every word of a description: they are kept as measured, and compared within this part of them. */
const tolerance = 0.1
const sizes = ['toolBytes', 'longResultBytes']

/** @param {Record<string, object>} found by client; clients that were not judged stay as they are */
export function writeResults(found) {
  const all = { ...readResults(), ...found }
  const ordered = drivers.filter(({ id }) => all[id]).map(({ id, label }) => [id, { label, ...all[id] }])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`)
}

/** Throws where what was found is not what is kept. */
export function expectKept(id, found) {
  const kept = readResults()[id] ?? {}
  const advice = 'run node judges/agents.mjs --write and npm run generate'
  const close = (name) => Math.abs((found[name] ?? 0) - (kept[name] ?? 0)) <= tolerance * (found[name] ?? 0)
  expectEqual(
    sizes.filter((name) => !close(name)).map((name) => [name, found[name]]),
    [],
    `sizes that changed by more than a tenth (${advice})`,
  )
  const { label: _, ...rest } = kept
  expectEqual(withoutSizes(found), withoutSizes(rest), `results.json (${advice})`)
}

function readResults() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

function withoutSizes(result) {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !sizes.includes(name)))
}
