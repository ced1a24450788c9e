// Script tools in the sandbox, in plan mode and over HTTP: they have the restrictions of Bash commands.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { call } from '../support/client.js'
import { callTool, modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { bashScript, newScriptProject, put, type ScriptProject, scriptsOf, startIn } from './support.js'

/** Tries to write to each path, and prints where it could. */
const TRIES =
  'for at in . "$(dirname "$0")" "$HOME"; do touch "$at/was-here" 2>/dev/null && echo "wrote to $at"; done; cat'

const scripts = {
  'tries.sh': bashScript(TRIES, '{"description": "Tries.", "input": {}}'),
  'writes-first.sh': `#!/bin/bash\n${TRIES} </dev/null >/dev/null\necho Writes before it answers.\n`,
}

const left = ({ home, project, tools }: ScriptProject): readonly string[] =>
  [home, project, tools].filter((folder) => existsSync(join(folder, 'was-here')))

describe('in the sandbox', requires(SANDBOX), () => {
  test.each([
    ['read-only', ''],
    ['workspace', 'wrote to .\n'],
    ['strict', 'wrote to .\n'],
  ])('at the level %s', async (level, wrote) => {
    const scriptProject = newScriptProject(scripts)
    const client = await startIn(scriptProject, { SANDBOX: level })
    expect(Object.keys(await scriptsOf(client))).toEqual(['tries', 'writes-first'])
    expect(left(scriptProject)).toEqual([])
    expect((await call(client, 'tries', { a: 'ü' })).text).toBe(`${wrote}{"a":"ü"}\n`)
    expect(left(scriptProject)).toEqual(wrote === '' ? [] : [scriptProject.project])
  })

  test('a folder within the project, or below a hidden path, can be read and not changed', async () => {
    const scriptProject = newScriptProject()
    for (const at of [join(scriptProject.project, 'tools'), join(scriptProject.home, '.scorpiox', 'tools')]) {
      mkdirSync(at, { recursive: true })
      put({ ...scriptProject, tools: at }, 'tries.sh', scripts['tries.sh'])
      const client = await startIn({ ...scriptProject, tools: at }, { SANDBOX: 'workspace' })
      expect((await call(client, 'tries')).text).toBe('wrote to .\n{}\n')
      const planted = await call(client, 'Bash', { command: `echo x > ${at}/planted.sh` })
      expect(planted.isError).toBe(true)
      await client.close()
      expect(existsSync(join(at, 'planted.sh'))).toBe(false)
    }
  })

  test('over HTTP, for each user, without a previous list', async () => {
    const scriptProject = newScriptProject({
      ...scripts,
      'size.sh': bashScript('wc -c', '{"description": "Counts.", "input": {}}'),
    })
    const env = { HOME: scriptProject.home, SCRIPT_TOOLS: scriptProject.tools }
    const server = await startProgram({ cwd: scriptProject.project, env })
    try {
      expect(await callTool(server, 'tries', { a: 1 })).toBe('wrote to .\n{"a":1}\n')
      expect(left(scriptProject)).toEqual([scriptProject.project])
      const token = tokenFor('bob', { HOME: scriptProject.home })
      // A new token is accepted within a second.
      const { json } = await vi.waitFor(async () => {
        const response = await sendRequest(server, { ...modernCall('size', { text: 'x'.repeat(1_100_000) }), token })
        expect(response.status).toBe(200)
        return response
      }, 10_000)
      expect(json.result.content[0].text.trim()).toBe(String(1_100_000 + '{"text":""}\n'.length))
    } finally {
      await server.stop()
    }
  })

  test('in plan mode', async () => {
    const scriptProject = newScriptProject({ 'tries.sh': scripts['tries.sh'] })
    const client = await startIn(scriptProject)
    expect(Object.keys(await scriptsOf(client))).toEqual(['tries'])
    await call(client, 'PlanMode', { action: 'enter' })
    expect((await call(client, 'tries')).text).toBe('{}\n')
    put(scriptProject, 'writes-first.sh', scripts['writes-first.sh'])
    await expect.poll(async () => Object.keys(await scriptsOf(client))).toEqual(['tries', 'writes-first'])
    expect(left(scriptProject)).toEqual([])
    await call(client, 'PlanMode', { action: 'reset' })
    expect((await call(client, 'tries')).text).toMatch(/^wrote to /)
  })
})

test('if the sandbox is required and unavailable, none is run, and the log reports it', async () => {
  const scriptProject = newScriptProject(scripts)
  // The home cannot be a workspace: it contains all files of the user.
  const client = await startIn(
    { ...scriptProject, project: scriptProject.home },
    { SANDBOX: 'strict', PATH: '/nowhere' },
  )
  expect(await scriptsOf(client)).toEqual({})
  expect(client.stderr()).toContain('script tools: ')
  expect(left(scriptProject)).toEqual([])
})

test('one that continues outlives the server if tasks do, and its arguments are not written to disk', async () => {
  const body = 'read -r line; echo "${#line}"; echo $$ > "$0.pid"; sleep 60'
  const scriptProject = newScriptProject({ 'stays.sh': bashScript(body, '{"description": "Stays.", "input": {}}') })
  const env = { JOBS_OUTLIVE_SERVER: '1', BASH_SOFT_LIMIT_MS: '1000' }
  const client = await startIn(scriptProject, env)
  const secret = 'a-secret-of-the-caller'
  const { text } = await call(client, 'stays', { secret })
  const id = Number(/job (\d+)/.exec(text)?.[1])
  expect(text).toMatch(new RegExp(`^${JSON.stringify({ secret }).length}\n`))
  await client.close()
  const pid = Number(readFileSync(join(scriptProject.tools, 'stays.sh.pid'), 'utf8'))
  const next = await startIn(scriptProject, env)
  expect((await call(next, 'ListBgTasks')).text).toContain('script tool stays')
  expect(process.kill(pid, 0)).toBe(true)
  await call(next, 'KillBgTask', { task_id: id })
  const found = await call(next, 'Bash', { command: `grep -rl ${secret.slice(0, 8)}'${secret.slice(8)}' ~/.scorpiox` })
  expect(found.text).not.toContain('/jobs/')
})
