// Loading skills and reading their files: only files of the skill can be read.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { MISSING, needs } from '../../../../../test/support/runtime.js'
import { listSkillFiles, type SkillFiles } from './skill-files.js'
import { createSkillIndex, type SkillIndex } from './skill-index.js'
import { listSkillLocations } from './skill-locations.js'
import { createSkillService, type SkillService } from './skill-service.js'
import type { Skill } from './skill.js'

const SECRET = 'the secret of another user'
const NO_SHELL = (): Promise<never> => Promise.reject(new Error('no shell here'))
const openIndexes: SkillIndex[] = []
afterEach(() => {
  for (const index of openIndexes.splice(0)) index.close()
})

function createFixture(): {
  base: string
  skills: SkillService
  index: SkillIndex
  folder: string
  put: (path: string, text: string | Buffer) => void
} {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')))
  const project = join(base, 'project')
  const locations = listSkillLocations({ cwd: project, project, home: join(base, 'home'), additional: '' })
  const index = createSkillIndex({
    locations,
    cachePath: undefined,
    changeEvents: createChangeEvents(),
    warn: () => {},
  })
  openIndexes.push(index)
  const put = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), text)
  }
  put('secret.txt', SECRET)
  put('project/.claude/skills/it/SKILL.md', '---\nname: it\ndescription: Does it\n---\nText\n')
  const skills = createSkillService(index, NO_SHELL)
  return { base, skills, index, folder: join(project, '.claude/skills/it'), put }
}

describe('the name', () => {
  test.each([
    '',
    '.',
    '..',
    '../it',
    'a/b',
    '/etc/passwd',
    'it/',
    './it',
    'it\0',
    'C:\\x',
    '..\\it',
    ' it',
    'it ',
    '%2e%2e',
    '-it',
    'x'.repeat(65),
    'x'.repeat(100_000),
    'ï',
  ])('%j is refused with the format of a name', async (name) => {
    const { skills } = createFixture()
    const failure = await skills.load(name).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'Failure',
      message: expect.stringMatching(/is not the name of a skill: a name has 1 to 64 .* There are 4: create-skill,/),
    })
    expect(String(failure).length).toBeLessThan(600)
  })

  test('that is unknown yields suggestions, and the reason why an entry was skipped', async () => {
    const { skills, put } = createFixture()
    await expect(skills.load('relase-notes')).rejects.toThrow(
      'There is no skill called relase-notes. Nearest: release-notes. There are 4: ',
    )
    put('project/.claude/skills/broken/SKILL.md', 'nothing')
    await expect(skills.load('broken')).rejects.toThrow('There is a folder of that name, but it has no description')
  })

  test('of a skill created a moment ago is found', async () => {
    const { skills, put } = createFixture()
    await skills.load('it')
    put('project/.claude/skills/new/SKILL.md', '---\ndescription: Does more\n---\nMore\n')
    expect(await skills.load('new')).toMatchObject({ name: 'new', body: 'More\n', level: 'project' })
  })

  test('beyond the indexed ones is found', async () => {
    const { skills, base, put } = createFixture()
    for (let number = 0; number < 2000; number++)
      mkdirSync(join(base, `home/.claude/skills/a${number}`), { recursive: true })
    put('home/.claude/skills/zz/SKILL.md', '---\ndescription: The last\n---\nLast\n')
    expect(await skills.load('zz')).toMatchObject({ body: 'Last\n', level: 'user' })
  })
})

describe('its files', () => {
  test('are listed, sorted, without ignored names', needs(MISSING.links), async () => {
    const { skills, base, folder, put } = createFixture()
    put('project/.claude/skills/it/z.md', 'z')
    put('project/.claude/skills/it/a/b/c.txt', 'c')
    put('project/.claude/skills/it/.git/config', 'x')
    put('project/.claude/skills/it/node_modules/x/index.js', 'x')
    put('project/.claude/skills/it/1/2/3/4/5/6/7/deep.md', 'x')
    symlinkSync(join(base, 'secret.txt'), join(folder, 'out.txt'))
    symlinkSync(base, join(folder, 'outside'))
    symlinkSync('z.md', join(folder, 'in.md'))
    symlinkSync('.', join(folder, 'loop'))
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'pipe')])
    const { files } = await skills.load('it')
    expect(files.files.map(({ path }) => path)).toEqual(['a/b/c.txt', 'in.md', 'z.md'])
    expect(files.isComplete).toBe(false)
    for (const { path } of files.files) expect(await skills.readFile('it', path)).toBeInstanceOf(Buffer)
  })

  test.each([
    '../../../../secret.txt',
    'out.txt',
    'outside/secret.txt',
    '/etc/passwd',
    '',
    '.',
    '..',
    'a//b',
    './SKILL.md',
    'a/../SKILL.md',
    'SKILL.md/',
    'SKILL.md\0',
    '..\\..\\secret.txt',
    '.git/config',
    'pipe',
    'a',
    'none',
  ])('%j is not one of them', async (path) => {
    const { skills, base, folder, put } = createFixture()
    put('project/.claude/skills/it/a/b.txt', 'b')
    put('project/.claude/skills/it/.git/config', 'x')
    symlinkSync(join(base, 'secret.txt'), join(folder, 'out.txt'))
    symlinkSync(base, join(folder, 'outside'))
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'pipe')])
    expect(await skills.readFile('it', path)).toBeUndefined()
  })

  test('no path leads outside the skill', async () => {
    const { skills, base, folder } = createFixture()
    symlinkSync(join(base, 'secret.txt'), join(folder, 'out'))
    symlinkSync(base, join(folder, 'up'))
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'up',
      'out',
      'secret.txt',
      'it',
      'skills',
      '.claude',
      'project',
      base,
      '\0',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const bytes = await skills.readFile('it', parts.join('/'))
        expect(bytes?.toString() ?? '').not.toContain(SECRET)
      }),
      { numRuns: 300 },
    )
  })

  test('of a skill whose directory became a link outside are not read', needs(MISSING.links), async () => {
    const { skills, base, folder, put } = createFixture()
    await skills.load('it')
    put('elsewhere/SKILL.md', '---\nname: it\ndescription: Does it\n---\n')
    put('elsewhere/key', SECRET)
    rmSync(folder, { recursive: true })
    symlinkSync(join(base, 'elsewhere'), folder)
    expect(await skills.readFile('it', 'key')).toBeUndefined()
    await expect(skills.load('it')).rejects.toThrow('leads out of the project')
  })

  test('are not read if that happens between check and read', needs(MISSING.links), async () => {
    const { base, folder, index, put } = createFixture()
    await index.refresh(0)
    put('elsewhere/SKILL.md', '---\nname: it\ndescription: Does it\n---\n')
    put('elsewhere/key', SECRET)
    rmSync(folder, { recursive: true })
    symlinkSync(join(base, 'elsewhere'), folder)
    const { skills, locations, directories } = index
    const late = createSkillService(
      { skills, locations, directories, close: () => {}, refresh: () => undefined },
      NO_SHELL,
    )
    expect(await late.readFile('it', 'key')).toBeUndefined()
    await expect(late.load('it')).rejects.toThrow('leads out of')
    await expect(late.hashFiles('it')).rejects.toThrow('leads out of')
  })

  test('of a deleted directory are none', async () => {
    const { base } = createFixture()
    expect(await listSkillFiles(join(base, 'nowhere'))).toEqual<SkillFiles>({ files: [], isComplete: true })
  })

  test('that are too large are a failure with their path', async () => {
    const { skills, put } = createFixture()
    put('project/.claude/skills/it/long.bin', Buffer.alloc(1024 * 1024 + 1))
    await expect(skills.readFile('it', 'long.bin')).rejects.toThrow(
      /long\.bin is longer than 1024 KB; read it with Bash/,
    )
    expect(await skills.hashFiles('it')).toBeUndefined()
  })

  test('have the hashes of their bytes', async () => {
    const { skills, put } = createFixture()
    put('project/.claude/skills/it/data.bin', Buffer.from([0xff, 0, 1]))
    const files = (await skills.hashFiles('it')) ?? []
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'data.bin'])
    for (const { path, digest, size } of files) {
      const bytes = (await skills.readFile('it', path))!
      expect([digest, size]).toEqual([`sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes.length])
    }
  })

  test('that are too many for a host have no hashes', async () => {
    const { skills, put } = createFixture()
    for (let number = 0; number < 512; number++) put(`project/.claude/skills/it/f${number}`, '')
    expect(await skills.hashFiles('it')).toBeUndefined()
  })
})

test.each(['create-skill', 'debug-failing-command', 'release-notes'])(
  '%s is built in: it has a text and its name, and is hidden by a file',
  async (name) => {
    const { skills, put } = createFixture()
    const built = await skills.load(name)
    expect(built).toMatchObject<Partial<Skill>>({
      level: 'built-in',
      directory: undefined,
      isScript: false,
      frontmatter: { name },
    })
    expect(built.body).toContain('$ARGUMENTS')
    const text = (await skills.readFile(name, 'SKILL.md'))!.toString()
    expect(text.startsWith(`---\nname: "${name}"\ndescription: "`)).toBe(true)
    expect(await skills.readFile(name, 'other.md')).toBeUndefined()
    expect(await skills.hashFiles(name)).toMatchObject([{ path: 'SKILL.md', size: Buffer.byteLength(text) }])
    put(`home/.claude/skills/${name}/SKILL.md`, '---\ndescription: Mine\n---\nMine\n')
    expect(await skills.load(name)).toMatchObject({ level: 'user', body: 'Mine\n' })
  },
)
