// InvokeSkill as a model uses it: the list in its description, its results, and skills that are scripts.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { call, type Json, LEGACY, modernMeta, outputOf, PROGRAM, startServer } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { describedSkills, newSkillProject } from './support.js'

describe('the list of skills', () => {
  test('contains the skills by name, with one line each, and their locations', async () => {
    const { skill, start, home } = newSkillProject()
    skill('zebra', 'z', 'Last: with a colon\nand a second line')
    skill('alpha', 'a', 'First')
    mkdirSync(join(home, '.claude/skills/mine'), { recursive: true })
    writeFileSync(join(home, '.claude/skills/mine/SKILL.md'), '---\ndescription: Of: the person\n---\n')
    const client = start()
    const lines = (await describedSkills(client)).split('\n')
    expect(lines[0]).toBe('Invoke a skill by name for reusable workflows')
    expect(lines[1]).toMatch(/^Returns instructions .* Available skills:$/)
    expect(lines.slice(2).map((line) => /^- ([\w-]+): /.exec(line)?.[1])).toEqual([
      'alpha',
      'create-skill',
      'debug-failing-command',
      'mine',
      'release-notes',
      'zebra',
    ])
    expect(lines).toContain('- zebra: Last: with a colon and a second line')
    expect(lines).toContain('- mine: Of: the person')
    await client.close()
  })

  test.each([10, 40, 100, 1000])('of %i skills stays within its budget, and is stable', async (count) => {
    const { skill, start } = newSkillProject()
    for (let number = 0; number < count; number++)
      skill(`skill-${number}`, 'x', `Number ${number}: ${'ä '.repeat(120)}`)
    const client = start()
    // A list waits five seconds for skills that are still being read, which a thousand can take on a busy machine.
    const first = await vi.waitUntil(async () => {
      const text = await describedSkills(client)
      return text.includes('skill-0') && text
    })
    await client.close()
    expect(Buffer.byteLength(first)).toBeLessThan(4096 + 1000)
    const listed = [...first.matchAll(/^- ([\w-]+): /gm)].map(([, name = '']) => name)
    expect(listed).toEqual(listed.toSorted((one, other) => (one < other ? -1 : 1)))
    const left = Number(/\(\+([\d,]+) more skills? not listed/.exec(first)?.[1]?.replace(',', '') ?? 0)
    expect(listed.length + left).toBe(count + 3)
    const again = start()
    await expect.poll(() => describedSkills(again)).toBe(first)
    await again.close()
  })

  test('costs nothing if the tool is disabled', async () => {
    const { skill, start, home } = newSkillProject()
    skill('it', 'text')
    const client = start({ TOOL_INVOKESKILL: '0' })
    expect((await client.initialize('2025-11-25')).result.capabilities).toEqual({
      tools: { listChanged: false },
      resources: { subscribe: true, listChanged: false },
      logging: {},
    })
    const { tools } = (await client.request('tools/list')).result
    expect(tools.map(({ name }: Json) => name)).not.toContain('InvokeSkill')
    expect((await call(client, 'InvokeSkill', { skill_name: 'it' })).text).toContain('is disabled by the setting')
    expect(existsSync(join(home, '.scorpiox', 'skill-index'))).toBe(false)
    await client.close()
  })
})

describe('a second start', () => {
  /** A server that writes its loaded modules to a file when it ends. */
  function watched(client: ReturnType<typeof newSkillProject>, file: string) {
    const hook = join(client.home, 'hook.cjs')
    writeFileSync(
      hook,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(file)}, Object.keys(require.cache).join('\\n')))`,
    )
    return startServer({ args: ['--require', hook, PROGRAM], cwd: client.project, env: { HOME: client.home } })
  }

  test('reads no YAML', async () => {
    const here = newSkillProject()
    for (let number = 0; number < 20; number++) here.skill(`skill-${number}`, 'x')
    const index = join(here.home, '.scorpiox', 'skill-index')
    const loaded = join(here.home, 'loaded')
    const first = watched(here, loaded)
    const description = await describedSkills(first)
    await eventually(
      () => (existsSync(index) ? readdirSync(index) : []),
      (names) => names.some((name) => name.endsWith('.json')),
    )
    await first.close()
    expect(readFileSync(loaded, 'utf8')).toMatch(/[/\\]yaml[/\\]/)

    const second = watched(here, loaded)
    expect(await describedSkills(second)).toBe(description)
    expect((await second.request('prompts/list')).result.prompts).toHaveLength(23)
    await second.close()
    expect(readFileSync(loaded, 'utf8')).not.toMatch(/[/\\]yaml[/\\]/)
    expect(readFileSync(loaded, 'utf8')).not.toMatch(/read-skills\.js/)
  })
})

describe('changes', () => {
  for (const revision of LEGACY)
    test(
      `are notified at ${revision}, and visible`,
      { tags: ['2024-11-05', '2025-11-25'].includes(revision) ? [] : ['long'] },
      async () => {
        const { skill, start } = newSkillProject()
        const client = start()
        await client.initialize(revision)
        expect(await describedSkills(client)).not.toContain('- later:')
        skill('later', 'text')
        for (const list of ['tools', 'prompts', 'resources']) {
          await client.waitFor(({ method }) => method === `notifications/${list}/list_changed`)
        }
        expect(await describedSkills(client)).toContain('- later: Does later')
        await client.close()
      },
    )

  test('are notified to listeners at the modern revision', async () => {
    const { skill, start } = newSkillProject()
    const client = start()
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { ...modernMeta(), notifications: { toolsListChanged: true } },
    })
    await client.waitFor(({ method }) => method === 'notifications/subscriptions/acknowledged')
    await client.request('tools/list', modernMeta())
    skill('later', 'text')
    await client.waitFor(({ method }) => method === 'notifications/tools/list_changed')
    await client.close()
  })

  test('are not notified by the first list', async () => {
    const { skill, start } = newSkillProject()
    skill('it', 'text')
    const client = start()
    await client.initialize('2025-11-25')
    await client.request('tools/list')
    await client.request('prompts/list')
    expect(client.received.filter(({ method }) => method?.endsWith('list_changed'))).toEqual([])
    await client.close()
  })

  test('a new skill can be used at once', async () => {
    const { skill, start } = newSkillProject()
    const client = start()
    await client.request('tools/list')
    skill('now', 'Here at once')
    expect((await call(client, 'InvokeSkill', { skill_name: 'now' })).text).toContain('Here at once')
    await client.close()
  })
})

describe('an answer', () => {
  test('has the header, the text with the arguments, and the files', async () => {
    const { skill, put, start } = newSkillProject()
    const file = skill('it', '# It\n\nFirst $ARGUMENTS, then $ARGUMENTS.\n')
    put('it/templates/a.md', 'four')
    const client = start()
    const args = `$& $1 $$ $\` "x" \\`
    const { text, isError } = await call(client, 'InvokeSkill', { skill_name: 'it', arguments: args })
    expect(isError).toBe(false)
    expect(text).toBe(`[skill: it | Project Skill | path: ${file}]
# It

First ${args}, then ${args}.

Files of this skill, in ${join(file, '..')}; read them when the text refers to them:
- templates/a.md (4 bytes)\n`)
    await client.close()
  })

  test('without a placeholder has the arguments at the end, and without arguments an empty placeholder', async () => {
    const { skill, start } = newSkillProject()
    skill('none', 'Text\n')
    skill('some', 'Do <$ARGUMENTS>\n')
    const client = start()
    const resultText = async (args: object): Promise<string> =>
      (await call(client, 'InvokeSkill', args)).text.split('\n').slice(1).join('\n')
    expect(await resultText({ skill_name: 'none', arguments: 'a b\n' })).toBe('Text\n\nArguments: a b\n')
    expect(await resultText({ skill_name: 'none' })).toBe('Text\n')
    expect(await resultText({ skill_name: 'some' })).toBe('Do <>\n')
    await client.close()
  })

  test('contains the kind of the skill', async () => {
    const { home, start } = newSkillProject()
    mkdirSync(join(home, '.agents/skills/mine'), { recursive: true })
    writeFileSync(join(home, '.agents/skills/mine/SKILL.md'), '---\ndescription: Mine\n---\nMine\n')
    const client = start()
    expect((await call(client, 'InvokeSkill', { skill_name: 'mine' })).text).toBe(
      `[skill: mine | User Skill | path: ${home}/.agents/skills/mine/SKILL.md]\nMine\n`,
    )
    expect((await call(client, 'InvokeSkill', { skill_name: 'release-notes' })).text).toMatch(
      /^\[skill: release-notes \| Built-in Skill \| no file; create \.claude\/skills\/release-notes\/SKILL\.md to override it\]\n# Release notes\n/,
    )
    await client.close()
  })

  test.each([
    [
      'an unknown name',
      { skill_name: 'relase-notes' },
      /^There is no skill called relase-notes\. Nearest: release-notes\. There are 4: /,
    ],
    ['a path', { skill_name: '../it' }, /^"\.\.\/it" is not the name of a skill: a name has /],
    ['no name', { skill_name: '' }, /^"" is not the name of a skill/],
    ['arguments with NUL', { skill_name: 'it', arguments: 'a\0b' }, /NUL character/],
    [
      'arguments without an end',
      { skill_name: 'it', arguments: 'x'.repeat(70_000) },
      /longer than 65,536 bytes: put them in a file/,
    ],
    [
      'arguments that would fill the memory',
      { skill_name: 'many', arguments: 'x'.repeat(60_000) },
      /would be longer than 1,048,576 characters/,
    ],
    ['an invalid name', { skill_name: 7 }, /Invalid arguments: 'skill_name'/],
  ])('to %s is a failure that says what to do', async (_, args, pattern) => {
    const { skill, start } = newSkillProject()
    skill('it', 'x')
    skill('many', '$ARGUMENTS '.repeat(1000))
    const client = start()
    const { text, isError } = await call(client, 'InvokeSkill', args)
    expect(isError).toBe(true)
    expect(text.replace('There are 5', 'There are 4')).toMatch(pattern)
    await client.close()
  })
})

describe('a script', () => {
  const SHOW = '#!/usr/bin/env bash\nprintf "%s\\n" "$1" "$ARGUMENTS" "$PWD" "$SKILL_DIR"\n'

  test('is run in the project, and its output is the answer', async () => {
    const { skill, start, project } = newSkillProject()
    const file = skill('run', SHOW)
    const client = start()
    const args = `$(touch pwned) \`touch pwned\` '; touch pwned; ' "x" \nEND_OF_SKILL\ntouch pwned`
    const { text, isError } = await call(client, 'InvokeSkill', { skill_name: 'run', arguments: args })
    expect(isError).toBe(false)
    expect(text).toBe(
      `[skill: run | Project Skill | path: ${file}]\n${args}\n${args}\n${project}\n${join(file, '..')}\n`,
    )
    expect(existsSync(join(project, 'pwned'))).toBe(false)
    await client.close()
  })

  test('is not run if commands are disabled', async () => {
    const { skill, start } = newSkillProject()
    skill('it', '#!/bin/sh\necho ran\n')
    const client = start({ TOOL_BASH: '0', TOOL_BACKGROUNDBASH: '0' })
    const { text, isError } = await call(client, 'InvokeSkill', { skill_name: 'it' })
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('commands are disabled (Bash and BackgroundBash are off)'),
    ])
    await client.close()
  })

  test('that fails is an error for the model, in the format of Bash', async () => {
    const { skill, start } = newSkillProject()
    skill('fail', '#!/bin/sh\necho oh; exit 3\n')
    skill('lost', '#!/no/such/interpreter\n')
    const client = start()
    const failed = await call(client, 'InvokeSkill', { skill_name: 'fail' })
    expect(failed).toMatchObject({
      isError: true,
      text: expect.stringMatching(/\noh\n\[Exit code 3\.\]\n$/),
    })
    const lost = await call(client, 'InvokeSkill', { skill_name: 'lost' })
    expect(lost).toMatchObject({ isError: true, text: expect.stringContaining('Exit code 127') })
    await client.close()
  })

  test('that is long, and one that reads its stdin to the end', async () => {
    const { skill, start } = newSkillProject()
    skill('long', `#!/bin/bash\n${`: ${'x'.repeat(98)}\n`.repeat(2000)}cat; echo done\n`)
    const client = start()
    expect(outputOf(await call(client, 'InvokeSkill', { skill_name: 'long' }))).toMatch(/\ndone\n$/)
    await client.close()
  })

  test('that takes too long continues as a job', async () => {
    const { skill, start } = newSkillProject()
    skill('slow', '#!/bin/sh\necho begun; sleep 60\n')
    const client = start({ BASH_SOFT_LIMIT_MS: '500' })
    const { text, isError } = await call(client, 'InvokeSkill', { skill_name: 'slow' })
    expect(isError).toBe(false)
    const [, id] = /it continues as job (\d+)/.exec(text) ?? []
    expect((await call(client, 'KillBgTask', { task_id: Number(id) })).isError).toBe(false)
    await client.close()
  })

  test('sends its lines as progress, and stops when it is cancelled', async () => {
    const { skill, start, project } = newSkillProject()
    skill('slow', '#!/bin/sh\necho begun; sleep 60; touch finished\n')
    const client = start()
    const params = { name: 'InvokeSkill', arguments: { skill_name: 'slow' }, _meta: { progressToken: 'p' } }
    client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params })
    await client.waitFor(
      ({ method, params: result }) => method === 'notifications/progress' && result.message === 'begun',
    )
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
    expect((await call(client, 'Bash', { command: 'sleep 0.5; ls' })).text).not.toContain('finished')
    expect(await client.close()).toBe(0)
    expect(existsSync(join(project, 'finished'))).toBe(false)
  })

  test('is sandboxed like commands', requires(SANDBOX), async () => {
    const { skill, start, project } = newSkillProject()
    skill('write', '#!/bin/bash\necho "$1" > written && echo wrote || echo refused; cat <<< "$ARGUMENTS"\n')
    skill('nodey', '#!/usr/bin/env node\nconsole.log(process.argv[2])\n')
    const confined = start({ SANDBOX: 'read-only' })
    expect((await call(confined, 'InvokeSkill', { skill_name: 'write', arguments: "it's" })).text).toMatch(
      /Read-only file system\nrefused\nit's\n$/,
    )
    expect((await call(confined, 'InvokeSkill', { skill_name: 'nodey', arguments: "it's" })).text).toMatch(/\nit's\n$/)
    expect(existsSync(join(project, 'written'))).toBe(false)
    await confined.close()
    const free = start({ SANDBOX: 'workspace' })
    expect((await call(free, 'InvokeSkill', { skill_name: 'write', arguments: 'x' })).text).toMatch(/\nwrote\nx\n$/)
    await free.close()
    rmSync(join(project, 'written'))
  })
})
