// The index over time: what hides what, what a second start reads, what is told, and what a broken cache does.

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

import { afterEach, describe, expect, test, vi } from 'vitest'

import { createNotices, type Notice } from '../notices.js'
import { cacheFile } from './index-cache.js'
import { placesOf } from './places.js'
import { createSkillIndex, type SkillIndex } from './skill-index.js'
import { survey } from './survey.js'

const open: SkillIndex[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const index of open.splice(0)) index.close()
})

function world() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')))
  const [home, project] = [join(base, 'home'), join(base, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const cache = cacheFile(join(base, 'state'), project)
  const put = (path: string, description: string, more = ''): string => {
    const file = join(base, path, 'SKILL.md')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `---\nname: x\ndescription: "${description}"\n---\n${more}`)
    return file
  }
  const told: Notice[] = []
  const start = (additional = '', waitMs?: number): SkillIndex => {
    const notices = createNotices()
    notices.listen((notice) => told.push(notice))
    const places = placesOf({ cwd: project, project, home, additional })
    const complain = (message: string): never => expect.unreachable(message)
    const index = createSkillIndex({ places, cache, notices, complain, ...(waitMs !== undefined && { waitMs }) })
    open.push(index)
    return index
  }
  return { base, home, project, cache, put, start, told }
}

const said = (index: SkillIndex, name: string): string | undefined =>
  index.skills.find((skill) => skill.name === name)?.description

/** What changed just now is looked at twice. */
const settled = (): Promise<void> => sleep(50)

async function cached(path: string): Promise<string> {
  for (let tries = 0; tries < 500 && !existsSync(path); tries++) await sleep(10)
  return readFileSync(path, 'utf8')
}

test('each place hides those after it, whole', async () => {
  const order = [
    'project/.claude/skills',
    'project/.scorpiox/skills',
    'home/.claude/skills',
    'home/.scorpiox/skills',
    'more',
    'still-more',
  ]
  const { base, put, start } = world()
  for (const place of order) {
    put(`${place}/release-notes`, place)
    put(`${place}/${place.replaceAll(/\W/g, '')}`, place)
  }
  const index = start(`${join(base, 'more')},${join(base, 'still-more')}`)
  await index.refresh()
  for (const place of order) {
    expect(said(index, 'release-notes')).toBe(place)
    expect(said(index, place.replaceAll(/\W/g, ''))).toBe(place)
    rmSync(join(base, place, 'release-notes'), { recursive: true })
    await index.refresh(0)
  }
  expect(index.skills.find(({ name }) => name === 'release-notes')).toMatchObject({
    level: 'built-in',
    folder: undefined,
  })
})

test('one that is skipped hides nothing', async () => {
  const { base, put, start } = world()
  put('home/.claude/skills/it', 'of the person')
  put('project/.claude/skills/it', 'of the project')
  writeFileSync(join(base, 'project/.claude/skills/it/SKILL.md'), 'no frontmatter')
  const index = start()
  await index.refresh()
  expect(said(index, 'it')).toBe('of the person')
})

test('without any folder there is nothing to wait for, and nothing is written', () => {
  const { start, cache, told } = world()
  const index = start()
  expect(index.refresh()).toBeUndefined()
  expect(index.skills.map(({ level }) => level)).toEqual(['built-in', 'built-in', 'built-in'])
  expect(existsSync(dirname(cache))).toBe(false)
  expect(told).toEqual([])
})

describe('the cache', () => {
  test('a second start waits for nothing and says the same', async () => {
    const { put, start, cache, told } = world()
    for (let number = 0; number < 20; number++) put(`project/.claude/skills/s${number}`, `does ${number}: all`)
    await settled()
    const first = start()
    expect(first.refresh()).toBeInstanceOf(Promise)
    await first.refresh()
    await cached(cache)
    expect(statSync(cache).mode & 0o777).toBe(0o600)
    const second = start()
    expect(second.refresh()).toBeUndefined()
    expect(second.skills).toEqual(JSON.parse(JSON.stringify(first.skills)))
    expect(told).toEqual([])
  })

  test('what is in it is what is shown, until the file changes', async () => {
    const { put, start, cache } = world()
    const file = put('project/.claude/skills/it', 'original')
    await settled()
    await start().refresh()
    writeFileSync(cache, (await cached(cache)).replaceAll('original', 'from the cache'))
    const second = start()
    expect(second.refresh()).toBeUndefined()
    expect(said(second, 'it')).toBe('from the cache')
    utimesSync(file, new Date(), new Date(0))
    await second.refresh(0)
    expect(said(second, 'it')).toBe('original')
  })

  test.each<[string, (path: string) => void]>([
    ['garbage', (path) => writeFileSync(path, 'garbage')],
    ['nothing', (path) => writeFileSync(path, '')],
    ['JSON of another form', (path) => writeFileSync(path, '{"form":1,"version":"1.0.0","places":[{"path":1}]}')],
    ['another version', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"form":1', '"form":0'))],
    ['half of it', (path) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 200))],
    [
      'entries that are none',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"description":"right"', '"description":7')),
    ],
    [
      'a name that is none',
      (path) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace('"name":"it"', '"name":"../it"').replace('right', 'x')),
    ],
    [
      'frontmatter of another skill, which would break the list of hosts',
      (path) =>
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace('"description":"right"', '"description":"x","frontmatter":{"name":"no"}'),
        ),
    ],
    [
      'a file that others may write to',
      (path) => {
        writeFileSync(path, readFileSync(path, 'utf8').replace('right', 'planted'))
        chmodSync(path, 0o666)
      },
    ],
    [
      'a folder',
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ])('%s is as good as none', async (_, spoil) => {
    const { put, start, cache } = world()
    put('project/.claude/skills/it', 'right')
    await start().refresh()
    await cached(cache)
    spoil(cache)
    const second = start()
    await second.refresh()
    expect(said(second, 'it')).toBe('right')
  })

  test('where it cannot be written, the list is shown all the same', async () => {
    const { base, put, start } = world()
    writeFileSync(join(base, 'state'), 'in the way')
    put('project/.claude/skills/it', 'right')
    const index = start()
    await index.refresh()
    expect(said(index, 'it')).toBe('right')
    await sleep(200)
  })
})

describe('what changes', () => {
  test('is noticed, and told once: a new skill, another description, one that is gone', async () => {
    const { base, put, start, told } = world()
    const index = start()
    void index.refresh()
    const lists = [{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }]

    put('project/.claude/skills/it', 'first')
    await index.refresh(0)
    expect(told.splice(0)).toEqual(lists)
    expect(said(index, 'it')).toBe('first')

    put('project/.claude/skills/it', 'second')
    await index.refresh(0)
    expect(told.splice(0)).toEqual([{ kind: 'resource', uri: 'skill://it/SKILL.md', user: undefined }, ...lists])

    put('project/.claude/skills/it', 'second', 'another text')
    await index.refresh(0)
    expect(told.splice(0)).toEqual([{ kind: 'resource', uri: 'skill://it/SKILL.md', user: undefined }])

    rmSync(join(base, 'project/.claude'), { recursive: true })
    await index.refresh(0)
    expect(told.splice(0)).toEqual(lists)
    expect(said(index, 'it')).toBeUndefined()

    await index.refresh(0)
    expect(told).toEqual([])
  })

  test('is not waited for without end, and told when it is known', async () => {
    const { put, start, told } = world()
    for (let number = 0; number < 300; number++) put(`project/.claude/skills/s${number}`, `does ${number}`)
    const index = start('', 0)
    await index.refresh()
    expect(index.skills).toHaveLength(3)
    expect(index.refresh()).toBeUndefined()
    for (let tries = 0; tries < 1000 && told.length === 0; tries++) await sleep(10)
    expect(told).toEqual([{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }])
    expect(index.skills).toHaveLength(303)
  })

  test('right after a look is seen even where clocks are coarse: what is fresh is looked at again', async () => {
    const { project, put, start, base } = world()
    put('project/.claude/skills/it', 'first')
    const places = placesOf({ cwd: project, project, home: join(base, 'home'), additional: '' })
    const marks = (): readonly string[] =>
      survey(places, []).flatMap(({ mark, entries }) => [mark, ...entries.map((entry) => entry.mark)])
    const fresh = marks()
    await settled()
    expect(marks()).not.toEqual(fresh)
    expect(marks()).toEqual(marks())
    const index = start()
    await index.refresh()
    await settled()
    expect(index.refresh(0)).toBeUndefined()
  })

  test('is noticed by itself', async () => {
    const { put, start, told } = world()
    const index = start()
    void index.refresh()
    put('home/.claude/skills/it', 'first')
    for (let tries = 0; tries < 1000 && told.length === 0; tries++) await sleep(10)
    expect(told).toContainEqual({ kind: 'tools' })
  })

  test('is noticed by itself also after a reading that took longer than from one look to the next', async () => {
    const { put, start, told } = world()
    put('project/.claude/skills/it', 'first')
    await settled()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const index = start()
    const reading = index.refresh()
    vi.advanceTimersByTime(2000)
    await reading
    put('project/.claude/skills/it', 'second')
    vi.advanceTimersByTime(4000)
    await index.refresh()
    vi.useRealTimers()
    expect(told).toContainEqual({ kind: 'tools' })
  })

  test('a SKILL.md that comes into a folder that was there', async () => {
    const { base, put, start } = world()
    mkdirSync(join(base, 'project/.claude/skills/it'), { recursive: true })
    const index = start()
    await index.refresh()
    expect(said(index, 'it')).toBeUndefined()
    put('project/.claude/skills/it', 'late')
    await index.refresh(0)
    expect(said(index, 'it')).toBe('late')
  })
})
