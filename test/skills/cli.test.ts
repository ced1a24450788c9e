// `scorpiox-code skills`: skills that were found, hidden, or skipped, with the reason.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { cleanEnv, type Json, PROGRAM } from '../support/client.js'
import { newSkillProject, type SkillProject } from './support.js'

function run({ project, home }: SkillProject, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, 'skills', ...args], {
    cwd: project,
    env: cleanEnv({ HOME: home }),
    encoding: 'utf8',
  })
}

function fill(here: SkillProject): void {
  here.skill('release-notes', 'Ours', 'Ours')
  here.skill('runs', '#!/bin/sh\n', 'Runs')
  here.put('colon/SKILL.md', '---\nname: colon\ndescription: a: b\n---\n')
  here.put('broken/SKILL.md', 'nothing')
  mkdirSync(join(here.home, '.scorpiox/skills/release-notes'), { recursive: true })
  writeFileSync(
    join(here.home, '.scorpiox/skills/release-notes/SKILL.md'),
    '---\nname: release-notes\ndescription: Mine\n---\n',
  )
}

test('as text, folder by folder', () => {
  const here = newSkillProject()
  fill(here)
  expect(run(here).split('\n')).toEqual([
    '.claude/skills (project): 3 skills',
    '  ✓ colon: a: b',
    expect.stringMatching(/^ {6}its frontmatter is not valid YAML; invalid lines were read as plain text: /),
    '  ✓ release-notes: Ours',
    '  ✓ runs: (script) Runs',
    '  ✗ "broken" skipped: it has no description: it does not begin with frontmatter (---, description: …, ---)',
    '.scorpiox/skills (project): does not exist',
    '~/.claude/skills (user): does not exist',
    '~/.scorpiox/skills (user): 1 skill',
    '  – release-notes: hidden by the skill of the same name in .claude/skills',
    'built-in: 3 skills',
    expect.stringContaining('✓ create-skill: '),
    expect.stringContaining('✓ debug-failing-command: '),
    '  – release-notes: hidden by the skill of the same name in .claude/skills',
    '',
  ])
})

test('as JSON', () => {
  const here = newSkillProject()
  fill(here)
  const folders: Json = JSON.parse(run(here, '--json'))
  expect(folders.map(({ folder, level, exists }: Json) => [folder, level, exists])).toEqual([
    ['.claude/skills', 'project', true],
    ['.scorpiox/skills', 'project', false],
    ['~/.claude/skills', 'user', false],
    ['~/.scorpiox/skills', 'user', true],
    ['built-in', 'built-in', true],
  ])
  expect(folders[0].skipped).toEqual([{ name: 'broken', reason: expect.stringContaining('no description') }])
  expect(folders[3].skills[0]).toMatchObject({ name: 'release-notes', shadowedBy: '.claude/skills' })
})

test('a skipped folder and an unreadable one are reported', () => {
  const here = newSkillProject()
  here.skill('it', 'Text')
  const agents = join(here.project, '.agents/skills/other')
  mkdirSync(agents, { recursive: true })
  writeFileSync(join(agents, 'SKILL.md'), '---\nname: other\ndescription: Other\n---\n')
  mkdirSync(join(here.project, '.scorpiox'))
  writeFileSync(join(here.project, '.scorpiox/skills'), 'a file')
  const lines = run(here).split('\n')
  expect(lines).toContain('.agents/skills (project): is not used, because .claude/skills exists')
  expect(lines).toContain('.scorpiox/skills (project): is not a folder')
})
