// Everything that a skill directory may contain: tables of entries and the skill or reason that results.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { MISSING, needs } from '../../../../../test/support/runtime.js'
import { findProjectRoot } from '../../config/paths.js'
import { runToEnd } from '../../async/sliced-work.js'
import { readChangedSkills } from './read-skills.js'
import type { IndexedSkill } from './skill-index-cache.js'
import { listSkillLocations, type SkillDirectory, type SkillLevel } from './skill-locations.js'
import { snapshotDirectories } from './snapshot-directories.js'

const GOOD = '---\nname: it\ndescription: "Does it"\n---\n\nDo it.\n'
const IS_ROOT = process.geteuid?.() === 0
const HAS_FIFO = process.platform !== 'win32'

interface Fixture {
  readonly home: string
  readonly project: string
  /** Directory of the skills. */
  readonly skills: string
}

function createFixture(level: Exclude<SkillLevel, 'built-in'>): Fixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')))
  const [home, project] = [join(base, 'home'), join(base, 'project')]
  for (const folder of [home, join(project, '.git'), join(base, 'elsewhere')]) mkdirSync(folder, { recursive: true })
  const skills = join(level === 'project' ? project : home, '.claude', 'skills')
  mkdirSync(skills, { recursive: true })
  return { home, project, skills }
}

function writeFixture(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

async function findSkills({ home, project }: Fixture, additional = '', cwd = project) {
  const locations = listSkillLocations({ cwd, project: findProjectRoot(cwd), home, additional })
  return runToEnd(readChangedSkills(runToEnd(snapshotDirectories(locations, [])), []))
}

async function entries(of: Fixture): Promise<readonly IndexedSkill[]> {
  const folder = (await findSkills(of)).find(({ path }) => path === of.skills)
  return folder?.entries ?? []
}

/** The entry of a SKILL.md with this text. */
async function entryOf(text: string | Buffer, name = 'it'): Promise<IndexedSkill> {
  const here = createFixture('project')
  writeFixture(join(here.skills, name, 'SKILL.md'), text)
  const [entry] = await entries(here)
  return entry!
}

describe('skills', () => {
  test.each<[string, string | Buffer, object]>([
    [
      'a plain skill',
      GOOD,
      { description: 'Does it', isScript: false, notes: [], frontmatter: { name: 'it', description: 'Does it' } },
    ],
    [
      'a description without quotes',
      '---\nname: it\ndescription: Does it\n---\n',
      { description: 'Does it', notes: [] },
    ],
    [
      'a colon in the description',
      '---\nname: it\ndescription: Release: cut one. Use when: asked\n---\n',
      { description: 'Release: cut one. Use when: asked', frontmatter: undefined },
    ],
    [
      'a colon, with other fields that are right',
      '---\nname: it\ndescription: a: b\nargument-hint: "<x>"\nmetadata:\n  version: "1"\n---\n',
      { description: 'a: b', hint: '<x>' },
    ],
    [
      'a description that begins with @',
      '---\nname: it\ndescription: @team does it\n---\n',
      { description: '@team does it' },
    ],
    [
      'a description that begins with a backquote',
      '---\nname: it\ndescription: `make` it\n---\n',
      { description: '`make` it' },
    ],
    [
      'a description that begins with *',
      '---\nname: it\ndescription: *very* good\n---\n',
      { description: '*very* good' },
    ],
    [
      'a quote that is not closed',
      '---\nname: it\ndescription: "Does it\n---\n',
      { description: expect.stringContaining('Does it') },
    ],
    [
      'text after a quoted string',
      '---\nname: it\ndescription: "Does" it: all\n---\n',
      { description: '"Does" it: all' },
    ],
    [
      'an apostrophe at the start',
      "---\nname: it\ndescription: 'tis it\n---\n",
      { description: expect.stringContaining('tis it') },
    ],
    [
      'a folded description',
      '---\nname: it\ndescription: >\n  Does it\n  and more\n---\n',
      { description: 'Does it and more', notes: [] },
    ],
    [
      'a literal description',
      '---\nname: it\ndescription: |\n  Does it\n  and more\n---\n',
      { description: 'Does it and more' },
    ],
    [
      'a description on two plain lines',
      '---\nname: it\ndescription: Does it\n  and more\n---\n',
      { description: 'Does it and more' },
    ],
    [
      'a field that comes twice',
      '---\nname: it\ndescription: first\ndescription: second\n---\n',
      { description: 'first' },
    ],
    [
      'tabs where YAML has none',
      '---\nname: it\ndescription: Does it\nmetadata:\n\tversion: 1\n---\n',
      { description: 'Does it' },
    ],
    [
      'brackets that are not closed',
      '---\nname: it\ndescription: Does it\nallowed-tools: [Bash, \n---\n',
      { description: 'Does it' },
    ],
    ['a number for a description', '---\nname: it\ndescription: 42\n---\n', { description: '42' }],
    ['a byte order mark', `\uFEFF${GOOD}`, { description: 'Does it', notes: [] }],
    [
      'lines that end as on Windows',
      GOOD.replaceAll('\n', '\r\n'),
      { description: 'Does it', notes: [], isScript: false },
    ],
    ['lines that end as on old Macs', GOOD.replaceAll('\n', '\r'), { description: 'Does it' }],
    [
      'Latin-1',
      Buffer.from('---\nname: it\ndescription: "Tut es für dich"\n---\n', 'latin1'),
      { description: 'Tut es für dich', frontmatter: undefined, notes: [expect.stringContaining('UTF-8')] },
    ],
    ['UTF-16', Buffer.from(`\uFEFF${GOOD}`, 'utf16le'), { description: 'Does it' }],
    [
      'letters of all kinds',
      '---\nname: it\ndescription: "説明 😀 שלום"\n---\n',
      { description: '説明 😀 שלום', notes: [] },
    ],
    ['terminal control characters', '---\nname: it\ndescription: "a\\e[31mb\\0c"\n---\n', { description: 'a [31mb c' }],
    [
      'another name',
      '---\nname: that\ndescription: Does it\n---\n',
      {
        description: 'Does it',
        frontmatter: undefined,
        notes: [expect.stringContaining('calls it that; the name of its folder counts')],
      },
    ],
    [
      'no name',
      '---\ndescription: Does it\n---\n',
      { description: 'Does it', frontmatter: undefined, notes: [expect.stringContaining('no name')] },
    ],
    [
      'no text at all after it',
      '---\nname: it\ndescription: Does it\n---',
      { description: 'Does it', isScript: false },
    ],
    ['frontmatter that ends with dots', '---\nname: it\ndescription: Does it\n...\nText\n', { description: 'Does it' }],
    ['a script', '---\nname: it\ndescription: Does it\n---\n\n#!/bin/sh\necho\n', { isScript: true }],
    [
      'a script after Windows lines',
      '---\r\nname: it\r\ndescription: Does it\r\n---\r\n#!/bin/sh\r\n',
      { isScript: true },
    ],
    [
      'a very long description',
      `---\nname: it\ndescription: ${'x'.repeat(5000)}\n---\n`,
      { description: expect.stringMatching(/^x{1023}…$/) },
    ],
    [
      'very long frontmatter',
      `---\nname: it\ndescription: Does it\nmore: ${'x'.repeat(100_000)}\n---\n`,
      { description: 'Does it', frontmatter: undefined },
    ],
    [
      'aliases that grow',
      `---\nname: it\ndescription: Does it\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n---\n`,
      { description: 'Does it', frontmatter: undefined },
    ],
    [
      'brackets a thousand deep',
      `---\nname: it\ndescription: Does it\na: ${'['.repeat(10_000)}\n---\n`,
      { description: 'Does it', frontmatter: undefined },
    ],
    [
      'an unknown tag',
      '---\nname: it\ndescription: !!js/function "Does it"\n---\n',
      { description: expect.stringContaining('Does it') },
    ],
    [
      'a comment in the description, with a warning',
      '---\nname: it\ndescription: Does it for issue #12\n---\n',
      {
        description: 'Does it for issue',
        frontmatter: { description: 'Does it for issue' },
        notes: [expect.stringContaining('all after # is a comment')],
      },
    ],
    [
      'a # in quotes, or within a word',
      '---\nname: it\ndescription: "Does it for issue #12" # and C#\n---\n',
      { description: 'Does it for issue #12', notes: [] },
    ],
    [
      'a key of Object.prototype',
      '---\nname: it\ndescription: Does it\n__proto__: {description: x}\nconstructor: 1\n---\n',
      { description: 'Does it' },
    ],
  ])('%s', async (_, text, expected) => {
    expect(await entryOf(text)).toMatchObject(expected)
  })

  test.each([['UPPER'], ['under_score'], ['dot.ted'], ['a--b'], ['x'.repeat(64)]])('the name %s', async (name) => {
    const entry = await entryOf(GOOD.replace('name: it', `name: ${name}`), name)
    expect(entry).toMatchObject({ name, description: 'Does it' })
  })
})

describe('skipped entries and their reasons', () => {
  test.each<[string, string | Buffer, string | RegExp]>([
    ['an empty file', '', 'it does not begin with frontmatter'],
    ['no frontmatter', '# Text only\n', 'it does not begin with frontmatter'],
    ['frontmatter that does not end', '---\nname: it\ndescription: Does it\n', 'end with a line of ---'],
    ['frontmatter that begins later', '\n---\nname: it\ndescription: Does it\n---\n', 'must begin with the first line'],
    ['no description', '---\nname: it\n---\nText\n', 'it has no description'],
    ['an empty description', '---\nname: it\ndescription: ""\n---\n', 'not text, or empty'],
    ['a description of nothing', '---\nname: it\ndescription:\n---\n', 'it has no description'],
    ['a description that is a list', '---\nname: it\ndescription: [a, b]\n---\n', 'not text, or empty'],
    ['a description that is a map', '---\nname: it\ndescription: {a: b}\n---\n', 'not text, or empty'],
    ['a description in another case', '---\nname: it\nDescription: Does it\n---\n', 'it has no description'],
    ['frontmatter that is a list', '---\n- a\n- b\n---\n', 'it has no description'],
    ['bytes', Buffer.from([0, 1, 2, 3, 0]), 'is not text'],
    ['a file of a megabyte', `${GOOD}${'x'.repeat(1024 * 1024)}`, 'is longer than 256 KB'],
  ])('%s', async (_, text, reason) => {
    expect(await entryOf(text)).toMatchObject({ reason: expect.stringMatching(reason) })
  })

  const invalidNames = ['with space', '-dash', '_under', 'ünï', 'x'.repeat(65), 'a$(id)', "a'b"]
  // Windows has no such files.
  if (process.platform !== 'win32') invalidNames.push('a:b', 'a\nb')
  test.each(invalidNames.map((name) => [name]))('the name %j', async (name) => {
    expect(await entryOf(GOOD, name)).toEqual({
      name,
      mark: expect.any(String),
      reason: expect.stringContaining('its name must be 1 to 64'),
    })
  })

  test.each<[string, (skills: string, base: string) => void, RegExp]>([
    [
      'a folder without SKILL.md',
      (skills) => writeFixture(join(skills, 'it', 'README.md'), 'x'),
      /there is no SKILL\.md in it/,
    ],
    ['an empty folder', (skills) => mkdirSync(join(skills, 'it')), /there is no SKILL\.md in it/],
    [
      'SKILL.md that is a folder',
      (skills) => mkdirSync(join(skills, 'it', 'SKILL.md'), { recursive: true }),
      /its SKILL\.md is not a file/,
    ],
    ['a file among the folders', (skills) => writeFixture(join(skills, 'it'), GOOD), /it is not a folder/],
    ['a hidden folder', (skills) => writeFixture(join(skills, '.it', 'SKILL.md'), GOOD), /its name is hidden/],
  ])('%s', async (_, make, reason) => {
    const here = createFixture('project')
    make(here.skills, dirname(here.project))
    expect(await entries(here)).toEqual([expect.objectContaining({ reason: expect.stringMatching(reason) })])
  })

  test('skill.md', needs(MISSING.letterCase), async () => {
    const here = createFixture('project')
    writeFixture(join(here.skills, 'it', 'skill.md'), GOOD)
    const reason = expect.stringMatching(/its file is called skill\.md; rename it/)
    expect(await entries(here)).toEqual([expect.objectContaining({ reason })])
  })

  test.each<[string, (skills: string) => void, RegExp]>([
    ['a link that leads nowhere', (skills) => symlinkSync('/nowhere/at/all', join(skills, 'it')), /leads nowhere/],
    ['a link to itself', (skills) => symlinkSync(join(skills, 'it'), join(skills, 'it')), /leads nowhere/],
    [
      'a SKILL.md that links to itself',
      (skills) => {
        mkdirSync(join(skills, 'it'))
        symlinkSync('SKILL.md', join(skills, 'it', 'SKILL.md'))
      },
      /in a circle/,
    ],
    [
      'a SKILL.md that links to nothing',
      (skills) => {
        mkdirSync(join(skills, 'it'))
        symlinkSync('gone.md', join(skills, 'it', 'SKILL.md'))
      },
      /its SKILL\.md is not there/,
    ],
    [
      'a SKILL.md that links to a device',
      (skills) => {
        mkdirSync(join(skills, 'it'))
        symlinkSync('/dev/zero', join(skills, 'it', 'SKILL.md'))
      },
      /is not a file/,
    ],
    [
      'a link to a file',
      (skills) => {
        writeFixture(join(skills, '..', 'x.md'), GOOD)
        symlinkSync(join(skills, '..', 'x.md'), join(skills, 'it'))
      },
      /it is not a folder/,
    ],
  ])('%s', needs(MISSING.links), async (_, make, reason) => {
    const here = createFixture('project')
    make(here.skills)
    expect(await entries(here)).toEqual([expect.objectContaining({ reason: expect.stringMatching(reason) })])
  })

  test('a pipe, without waiting for it', needs(HAS_FIFO ? undefined : 'there is no mkfifo'), async () => {
    const here = createFixture('project')
    mkdirSync(join(here.skills, 'it'))
    execFileSync('mkfifo', [join(here.skills, 'it', 'SKILL.md')])
    expect(await entries(here)).toMatchObject([{ reason: 'its SKILL.md is not a file' }])
  })

  test('an unreadable file', needs(MISSING.fileModes), async () => {
    const here = createFixture('user')
    const manifest = join(here.skills, 'it', 'SKILL.md')
    writeFixture(manifest, GOOD)
    chmodSync(manifest, 0)
    // Root may read every file, but some files fail for every reader.
    if (IS_ROOT) rmSync(manifest)
    if (IS_ROOT) symlinkSync('/proc/self/mem', manifest)
    const reason = IS_ROOT
      ? expect.stringMatching(/^it cannot be read \(/)
      : 'its SKILL.md may not be read by this user'
    expect(await entries(here)).toMatchObject([{ reason }])
  })

  test('names beyond the maximum are counted', async () => {
    const here = createFixture('user')
    for (let number = 0; number < 2003; number++) mkdirSync(join(here.skills, `s${number}`))
    const folder = (await findSkills(here)).find(({ path }) => path === here.skills)
    expect(folder).toMatchObject({ excess: 3 })
    expect(folder?.entries).toHaveLength(2000)
  })
})

describe('links', needs(MISSING.links), () => {
  const elsewhere = (here: Fixture): string => join(dirname(here.project), 'elsewhere')

  test.each<[string, (here: Fixture) => void]>([
    [
      'a skill',
      (here) => {
        writeFixture(join(elsewhere(here), 'it', 'SKILL.md'), GOOD)
        symlinkSync(join(elsewhere(here), 'it'), join(here.skills, 'it'))
      },
    ],
    [
      'a SKILL.md',
      (here) => {
        writeFixture(join(elsewhere(here), 'x.md'), GOOD)
        mkdirSync(join(here.skills, 'it'))
        symlinkSync(join(elsewhere(here), 'x.md'), join(here.skills, 'it', 'SKILL.md'))
      },
    ],
    [
      'a link by way of a link',
      (here) => {
        writeFixture(join(elsewhere(here), 'it', 'SKILL.md'), GOOD)
        symlinkSync(elsewhere(here), join(here.project, 'hop'))
        symlinkSync(join(here.project, 'hop', 'it'), join(here.skills, 'it'))
      },
    ],
  ])('%s that leads out of a project is skipped; out of the home it is followed', async (_, make) => {
    const project = createFixture('project')
    make(project)
    expect(await entries(project)).toMatchObject([{ name: 'it', reason: expect.stringMatching(/leads out of/) }])
    const user = createFixture('user')
    make(user)
    expect(await entries(user)).toMatchObject([{ name: 'it', description: 'Does it' }])
  })

  test('a skill directory that links outside the project yields no skills', async () => {
    const here = createFixture('project')
    writeFixture(join(elsewhere(here), 'it', 'SKILL.md'), GOOD)
    const other = { ...here, project: join(here.project, 'other') }
    mkdirSync(join(other.project, '.git'), { recursive: true })
    mkdirSync(join(other.project, '.claude'))
    symlinkSync(elsewhere(here), join(other.project, '.claude', 'skills'))
    const [folder] = await findSkills(other)
    expect(folder?.entries).toMatchObject([{ name: 'it', reason: expect.stringMatching(/leads out of/) }])
  })

  test('links within the project are followed', async () => {
    const here = createFixture('project')
    writeFixture(join(here.project, 'shared', 'it', 'SKILL.md'), GOOD)
    symlinkSync(join('..', '..', 'shared', 'it'), join(here.skills, 'it'))
    expect(await entries(here)).toMatchObject([{ name: 'it', description: 'Does it' }])
  })
})

describe('locations', () => {
  const shown = (where: Partial<Parameters<typeof listSkillLocations>[0]>): string[] =>
    listSkillLocations({ cwd: '/srv/p', project: '/srv/p', home: '/srv/home', additional: '', ...where }).map(
      ({ level, candidates }) =>
        `${level} ${candidates.map((folder) => folder.displayPath.replaceAll('\\', '/')).join('|')}`,
    )

  test('order: project, user, additional directories', () => {
    expect(shown({ additional: '~/more, ../team/skills ,,/srv/abs' })).toEqual([
      'project .claude/skills|.agents/skills',
      'project .scorpiox/skills',
      'user ~/.claude/skills|~/.agents/skills',
      'user ~/.scorpiox/skills',
      'user ~/more',
      'user ../team/skills',
      'user /srv/abs',
    ])
  })

  test('~ alone is the home directory', () => {
    const locations = listSkillLocations({
      cwd: '/srv/p',
      project: '/srv/p',
      home: resolve('/srv/home'),
      additional: '~',
    })
    expect(locations.at(-1)?.candidates).toEqual<SkillDirectory[]>([{ path: resolve('/srv/home'), displayPath: '~' }])
  })

  test('below a repository root, the working directory precedes the root', () => {
    expect(shown({ cwd: '/srv/p/packages/a' }).slice(0, 4)).toEqual([
      'project .claude/skills|.agents/skills',
      'project .scorpiox/skills',
      'project ../../.claude/skills|../../.agents/skills',
      'project ../../.scorpiox/skills',
    ])
  })

  test('without a home directory there are no user skills, and ~ is not taken as a relative path', () => {
    expect(shown({ home: '', additional: '~/more,~,/srv/abs' })).toEqual([
      'project .claude/skills|.agents/skills',
      'project .scorpiox/skills',
      'user /srv/abs',
    ])
  })

  test('the home directory is not a project, and no directory is listed twice', () => {
    expect(shown({ cwd: '/srv/home', project: '/srv/home', additional: '~/.claude/skills' })).toEqual([
      'user ~/.claude/skills|~/.agents/skills',
      'user ~/.scorpiox/skills',
    ])
  })

  test('in a home directory that is a repository, the project is the working directory', () => {
    const [first] = listSkillLocations({ cwd: '/srv/home/p', project: '/srv/home', home: '/srv/home', additional: '' })
    expect(first?.allowedRoot).toBe('/srv/home/p')
  })

  test('.agents/skills is used only without .claude/skills', async () => {
    const here = createFixture('project')
    writeFixture(join(here.project, '.agents', 'skills', 'agent', 'SKILL.md'), GOOD)
    writeFixture(join(here.home, '.agents', 'skills', 'mine', 'SKILL.md'), GOOD)
    const names = (await findSkills(here)).flatMap((folder) => folder.entries.map(({ name }) => name))
    expect(names).toEqual(['mine'])
  })
})
