// What scripts print for --schema is kept for the next start (features/scripts/script-description-cache.ts). Each script
// here writes a line to a file whenever it is asked.

import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { call } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { newScriptProject, put, type ScriptProject, scriptsOf, startIn } from './support.js'

function countingScript(description: string): string {
  return `#!/bin/bash
if [ "$1" = --schema ]; then echo asked >> "$0.asked"; echo '{"description":"${description}","input":{}}'; else cat; fi
`
}

function timesAsked({ tools }: ScriptProject): number {
  const path = join(tools, 'one.sh.asked')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0
}

function cacheFolder({ home }: ScriptProject): string {
  return join(home, '.scorpiox', 'script-index')
}

function cacheFile(project: ScriptProject): string {
  const [name = ''] = existsSync(cacheFolder(project)) ? readdirSync(cacheFolder(project)) : []
  return join(cacheFolder(project), name)
}

/** The description of the script in the list of a fresh server. */
async function listOnce(project: ScriptProject): Promise<unknown> {
  const client = await startIn(project)
  const { one } = await scriptsOf(client)
  expect((await call(client, 'one', { a: 1 })).text).toBe('{"a":1}\n')
  await client.close()
  return one?.description
}

async function newCachedProject(): Promise<ScriptProject> {
  const project = newScriptProject({ 'one.sh': countingScript('First.') })
  // A file that has just been written is not cached, because another change could have the same time.
  await eventually(() => Date.now() - statSync(join(project.tools, 'one.sh')).ctimeMs > 100)
  expect(await listOnce(project)).toBe('First.')
  expect(timesAsked(project)).toBe(1)
  return project
}

test.concurrent('a script is asked once, and again when its file has changed', async () => {
  const project = await newCachedProject()
  expect(statSync(cacheFile(project)).mode & 0o777).toBe(0o600)
  expect(statSync(cacheFolder(project)).mode & 0o777).toBe(0o700)
  expect(await listOnce(project)).toBe('First.')
  expect(timesAsked(project)).toBe(1)
  put(project, 'one.sh', countingScript('Other.'))
  expect(await listOnce(project)).toBe('Other.')
  expect(timesAsked(project)).toBe(2)
})

test.concurrent.each([
  ['not JSON', (project: ScriptProject) => writeFileSync(cacheFile(project), '{')],
  ['of another form', (project: ScriptProject) => writeFileSync(cacheFile(project), '{"version":1,"scripts":[[1]]}')],
  [
    'without a description',
    (project: ScriptProject) =>
      writeFileSync(cacheFile(project), readFileSync(cacheFile(project), 'utf8').replaceAll('description', 'x')),
  ],
  ['in a folder that others can write to', (project: ScriptProject) => chmodSync(cacheFolder(project), 0o777)],
])('a cache that is %s is not used', async (_, damage) => {
  const project = await newCachedProject()
  damage(project)
  expect(await listOnce(project)).toBe('First.')
  expect(timesAsked(project)).toBe(2)
})
