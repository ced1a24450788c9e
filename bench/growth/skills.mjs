// Growth of skills: the list of a first start, of a start with a cached index, and after one skill has changed.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { createPlace, measureBlocking, startServer } from './server.mjs'

/** Names of one folder that are listed. */
const PER_FOLDER = 2000
const BODY = 'Read the log, name the cause, propose a change.\n'.repeat(60)

function writeSkill(folder, name, description) {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n${BODY}`)
}

function plantSkills({ cwd, home }, count) {
  const folders = [join(cwd, '.claude/skills'), join(cwd, '.scorpiox/skills'), join(home, '.claude/skills')]
  for (let number = 0; number < count; number += 1) {
    const folder = folders[Math.floor(number / PER_FOLDER)]
    writeSkill(folder, `skill-${number}`, `Explains failure ${number} of a build, and what to change`)
  }
  return folders[0]
}

/** The lists of clients beside many skills. */
export async function measureSkillLists() {
  const rows = []
  for (const count of [50, 5000]) {
    const place = createPlace()
    const folder = plantSkills(place, count)
    const size = `${count} skills`
    // Later than the times of the files by more than their resolution.
    await sleep(100)
    const list = async (what, server) => {
      rows.push({ what, size, ...(await measureBlocking(server, () => server.request('prompts/list', {}))) })
    }
    const first = await startServer(place)
    await list('list of skills, the first', first)
    await sleep(1000)
    await list('list of skills, unchanged', first)
    writeSkill(folder, 'skill-1', 'Explains something else')
    await sleep(100)
    await list('list of skills, one changed', first)
    await sleep(1000)
    await first.stop()
    const second = await startServer(place)
    await list('list of skills, the next start', second)
    await second.stop()
    place.remove()
  }
  return rows
}
