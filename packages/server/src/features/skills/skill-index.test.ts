// The skill index over time: precedence, cached starts, notifications, and invalid caches.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { type ChangeEvent, createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { eventually } from '../../../../../test/support/eventually.js'
import { MISSING, MODES, needs } from '../../../../../test/support/runtime.js'
import { runToEnd } from '../../async/sliced-work.js'
import { skillIndexCachePath } from './skill-index-cache.js'
import { createSkillIndex, type SkillIndex } from './skill-index.js'
import { listSkillLocations } from './skill-locations.js'
import type { Skill } from './skill.js'
import { snapshotDirectories } from './snapshot-directories.js'

const openIndexes: SkillIndex[] = []
// The index imports it with its first list, which waits for 5 s at most.
beforeAll(async () => void (await import('./read-skills.js')))

afterEach(() => {
  vi.useRealTimers()
  for (const index of openIndexes.splice(0)) index.close()
})

function createFixture() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')))
  const [home, project] = [join(base, 'home'), join(base, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const cachePath = skillIndexCachePath(join(base, 'state'), project)
  const put = (path: string, description: string, more = ''): string => {
    const file = join(base, path, 'SKILL.md')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `---\nname: x\ndescription: "${description}"\n---\n${more}`)
    return file
  }
  const notifications: ChangeEvent[] = []
  const start = (additional = '', maxWaitMs?: number): SkillIndex => {
    const changeEvents = createChangeEvents()
    changeEvents.subscribe((event) => notifications.push(event))
    const locations = listSkillLocations({ cwd: project, project, home, additional })
    const warn = (message: string): never => expect.unreachable(message)
    const index = createSkillIndex({
      locations,
      cachePath,
      changeEvents,
      warn,
      ...(maxWaitMs !== undefined && { maxWaitMs }),
    })
    openIndexes.push(index)
    return index
  }
  return { base, home, project, cache: cachePath, put, start, notifications }
}

const descriptionOf = (index: SkillIndex, name: string): string | undefined =>
  index.skills.find((skill) => skill.name === name)?.description

/** Waits until fingerprints are no longer too recent to be trusted; the change time of a file cannot be set. */
const untilSettled = (): Promise<void> => sleep(50)

async function readCacheFile(path: string): Promise<string> {
  await eventually(() => existsSync(path))
  return readFileSync(path, 'utf8')
}

test('skills of a location hide those of later ones', async () => {
  const order = [
    'project/.claude/skills',
    'project/.scorpiox/skills',
    'home/.claude/skills',
    'home/.scorpiox/skills',
    'more',
    'still-more',
  ]
  const { base, put, start } = createFixture()
  for (const path of order) {
    put(`${path}/release-notes`, path)
    put(`${path}/${path.replaceAll(/\W/g, '')}`, path)
  }
  const index = start(`${join(base, 'more')},${join(base, 'still-more')}`)
  await index.refresh()
  for (const path of order) {
    expect(descriptionOf(index, 'release-notes')).toBe(path)
    expect(descriptionOf(index, path.replaceAll(/\W/g, ''))).toBe(path)
    rmSync(join(base, path, 'release-notes'), { recursive: true })
    await index.refresh(0)
  }
  expect(index.skills.find(({ name }) => name === 'release-notes')).toMatchObject<Partial<Skill>>({
    level: 'built-in',
    directory: undefined,
  })
})

test('a skipped entry hides nothing', async () => {
  const { base, put, start } = createFixture()
  put('home/.claude/skills/it', 'of the user')
  put('project/.claude/skills/it', 'of the project')
  writeFileSync(join(base, 'project/.claude/skills/it/SKILL.md'), 'no frontmatter')
  const index = start()
  await index.refresh()
  expect(descriptionOf(index, 'it')).toBe('of the user')
})

test('without skill directories there is no wait and no cache', () => {
  const { start, cache, notifications } = createFixture()
  const index = start()
  expect(index.refresh()).toBeUndefined()
  expect(index.skills.map(({ level }) => level)).toEqual(['built-in', 'built-in', 'built-in'])
  expect(existsSync(dirname(cache))).toBe(false)
  expect(notifications).toEqual([])
})

describe('the cache', () => {
  test('a second start does not wait and has the same skills', needs(MISSING.quickScans), async () => {
    const { put, start, cache, notifications } = createFixture()
    for (let number = 0; number < 20; number++) put(`project/.claude/skills/s${number}`, `does ${number}: all`)
    await untilSettled()
    const first = start()
    expect(first.refresh()).toBeInstanceOf(Promise)
    await first.refresh()
    await readCacheFile(cache)
    expect(statSync(cache).mode & 0o777).toBe(MODES.private)
    const second = start()
    expect(second.refresh()).toBeUndefined()
    expect(second.skills).toEqual(JSON.parse(JSON.stringify(first.skills)))
    expect(notifications).toEqual([])
  })

  test('is used until the file changes', needs(MISSING.quickScans), async () => {
    const { put, start, cache } = createFixture()
    const file = put('project/.claude/skills/it', 'original')
    await untilSettled()
    await start().refresh()
    writeFileSync(cache, (await readCacheFile(cache)).replaceAll('original', 'from the cache'))
    const second = start()
    expect(second.refresh()).toBeUndefined()
    expect(descriptionOf(second, 'it')).toBe('from the cache')
    utimesSync(file, new Date(), new Date(0))
    await second.refresh(0)
    expect(descriptionOf(second, 'it')).toBe('original')
  })

  test.each<[string, (path: string) => void]>([
    ['garbage', (path) => writeFileSync(path, 'garbage')],
    ['nothing', (path) => writeFileSync(path, '')],
    ['JSON of another form', (path) => writeFileSync(path, '{"form":2,"version":"1.0.0","places":[{"path":1}]}')],
    ['another version', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"form":2', '"form":0'))],
    ['half of it', (path) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 200))],
    [
      'invalid entries',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"description":"right"', '"description":7')),
    ],
    [
      'an invalid name',
      (path) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace('"name":"it"', '"name":"../it"').replace('right', 'x')),
    ],
    [
      'frontmatter of another skill, which hosts would reject',
      (path) =>
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace('"description":"right"', '"description":"x","frontmatter":{"name":"no"}'),
        ),
    ],
    [
      'a folder',
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ])('%s counts as no cache', async (_, corrupt) => {
    const { put, start, cache } = createFixture()
    put('project/.claude/skills/it', 'right')
    await start().refresh()
    await readCacheFile(cache)
    corrupt(cache)
    const second = start()
    await second.refresh()
    expect(descriptionOf(second, 'it')).toBe('right')
  })

  test('a file writable by others counts as no cache', needs(MISSING.fileModes), async () => {
    const { put, start, cache } = createFixture()
    put('project/.claude/skills/it', 'right')
    await start().refresh()
    writeFileSync(cache, (await readCacheFile(cache)).replace('right', 'planted'))
    chmodSync(cache, 0o666)
    const second = start()
    await second.refresh()
    expect(descriptionOf(second, 'it')).toBe('right')
  })

  test('a failed write does not affect the list', async () => {
    const { base, put, start } = createFixture()
    writeFileSync(join(base, 'state'), 'in the way')
    put('project/.claude/skills/it', 'right')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const index = start()
    await index.refresh()
    expect(descriptionOf(index, 'it')).toBe('right')
    // The cache is written after a delay; an error would be an unhandled rejection.
    expect(vi.getTimerCount()).toBeGreaterThan(0)
    vi.advanceTimersByTime(100)
    await vi.dynamicImportSettled()
    vi.useRealTimers()
    expect(descriptionOf(index, 'it')).toBe('right')
    expect(readFileSync(join(base, 'state'), 'utf8')).toBe('in the way')
  })
})

describe('a change', () => {
  test('is detected and notified once: new skill, new description, deleted skill', async () => {
    const { base, put, start, notifications } = createFixture()
    const index = start()
    void index.refresh()
    const lists = [{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }]

    put('project/.claude/skills/it', 'first')
    await index.refresh(0)
    expect(notifications.splice(0)).toEqual(lists)
    expect(descriptionOf(index, 'it')).toBe('first')

    put('project/.claude/skills/it', 'second')
    await index.refresh(0)
    expect(notifications.splice(0)).toEqual([
      { kind: 'resource', uri: 'skill://it/SKILL.md', user: undefined },
      ...lists,
    ])

    put('project/.claude/skills/it', 'second', 'another text')
    await index.refresh(0)
    expect(notifications.splice(0)).toEqual([{ kind: 'resource', uri: 'skill://it/SKILL.md', user: undefined }])

    rmSync(join(base, 'project/.claude'), { recursive: true })
    await index.refresh(0)
    expect(notifications.splice(0)).toEqual(lists)
    expect(descriptionOf(index, 'it')).toBeUndefined()

    await index.refresh(0)
    expect(notifications).toEqual([])
  })

  test('is waited for up to a limit, and notified later', async () => {
    const { put, start, notifications } = createFixture()
    for (let number = 0; number < 300; number++) put(`project/.claude/skills/s${number}`, `does ${number}`)
    const index = start('', 0)
    await index.refresh()
    expect(index.skills).toHaveLength(3)
    expect(index.refresh()).toBeUndefined()
    await eventually(() => notifications.length > 0)
    expect(notifications).toEqual([{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }])
    expect(index.skills).toHaveLength(303)
  })

  test('right after a scan is detected even with coarse timestamps', needs(MISSING.quickScans), async () => {
    const { project, put, start, base } = createFixture()
    put('project/.claude/skills/it', 'first')
    const locations = listSkillLocations({ cwd: project, project, home: join(base, 'home'), additional: '' })
    const marks = (): readonly string[] =>
      runToEnd(snapshotDirectories(locations, [])).flatMap(({ mark, entries }) => [
        mark,
        ...entries.map((entry) => entry.mark),
      ])
    const fresh = marks()
    await untilSettled()
    expect(marks()).not.toEqual(fresh)
    expect(marks()).toEqual(marks())
    const index = start()
    await index.refresh()
    await untilSettled()
    expect(index.refresh(0)).toBeUndefined()
  })

  test('is detected without a list request', async () => {
    const { put, start, notifications } = createFixture()
    const index = start()
    void index.refresh()
    put('home/.claude/skills/it', 'first')
    await eventually(() => notifications.length > 0)
    expect(notifications).toContainEqual({ kind: 'tools' })
  })

  test('is detected without a list request after a read that took longer than the scan interval', async () => {
    const { put, start, notifications } = createFixture()
    put('project/.claude/skills/it', 'first')
    await untilSettled()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const index = start()
    const reading = index.refresh()
    vi.advanceTimersByTime(2000)
    await reading
    put('project/.claude/skills/it', 'second')
    vi.advanceTimersByTime(4000)
    await index.refresh()
    vi.useRealTimers()
    expect(notifications).toContainEqual({ kind: 'tools' })
  })

  test('of a directory to which a SKILL.md is added is detected', async () => {
    const { base, put, start } = createFixture()
    mkdirSync(join(base, 'project/.claude/skills/it'), { recursive: true })
    const index = start()
    await index.refresh()
    expect(descriptionOf(index, 'it')).toBeUndefined()
    put('project/.claude/skills/it', 'late')
    await index.refresh(0)
    expect(descriptionOf(index, 'it')).toBe('late')
  })
})
