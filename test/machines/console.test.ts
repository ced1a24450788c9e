// The console of a user on machines that do not own the workspace: jobs, calls, output, terminals and passwords are
// those of the owner, whichever machine serves the page.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { LINUX } from '../secrets/support.js'
import { needs } from '../shell/terminal-job.js'
import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import type { Json } from '../support/client.js'
import { sendCommand, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { modernCall, sendRequest, stream, tokenFor } from '../support/http-client.js'
import { requires } from '../support/requirements.js'
import { callText, type Fleet, type Machine, SHORT_LEASE, startFleet } from './support.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

const RESULT = 'io.github.scorpiox/result'

async function startJob(machine: Machine, args: object): Promise<number> {
  const { json } = await sendRequest(machine, modernCall('BackgroundBash', args))
  return json.result._meta[RESULT].task_id
}

describe('the page of another machine', requires(postgresRequirement(postgres)), () => {
  let fleet: Fleet

  beforeAll(async () => {
    if (postgres) fleet = await startFleet(postgres, ['a', 'b', 'c'], { ASK_WAIT: '60' })
  })
  afterAll(() => fleet.stop())

  /** Two machines that do not own the workspace: clients use one, people the other. */
  async function begin(): Promise<{ readonly client: Machine; readonly page: Machine }> {
    await callText(fleet.next(), 'Bash', { command: 'true' })
    const [client, page] = await fleet.others()
    if (!client || !page) throw new Error('no other machines')
    return { client, page }
  }

  test('shows jobs and calls, reads output and ends jobs', async () => {
    const { client, page } = await begin()
    const watched = await watchConsole(page)
    const id = await startJob(client, { command: 'echo shown; sleep 600' })
    const { jobs } = await watched.until((view) => view.jobs.some((job) => job.id === id && job.isRunning))
    await watched.until((view) => view.calls.some(({ tool }) => tool === 'BackgroundBash'))
    const job = { server: jobs.find((each) => each.id === id)?.server, id }
    const output = await stream(page, { path: '/board/output', body: JSON.stringify(job) })
    await eventually(() => JSON.stringify(output.events.map(({ json }) => json)).includes('shown'))
    output.disconnect()
    const mallory = tokenFor('mallory', client.env)
    expect((await sendCommand(page, 'kill', job, mallory)).status).toBe(409)
    expect((await sendCommand(page, 'kill', job)).status).toBe(204)
    await watched.until((view) => view.jobs.some((each) => each.id === id && !each.isRunning))
    watched.leave()
  })

  test('takes a terminal over and gives it back', needs('script', 'stty'), async () => {
    const { client, page } = await begin()
    const id = await startJob(client, { command: 'while read -p "> " line; do echo "got [$line]"; done', tty: true })
    const watched = await watchConsole(page)
    const { jobs } = await watched.until((view) => view.jobs.some((job) => job.id === id && job.isRunning))
    watched.leave()
    const job = { server: jobs.find((each) => each.id === id)?.server, id }
    const opened = await stream(page, { path: '/board/terminal', body: JSON.stringify(job) })
    const shown = (): string => opened.events.map(({ json }: Json) => json.text).join('')
    await eventually(() => shown().includes('> '))
    const typeAsModel = (): Promise<string> => callText(client, 'ReadBgOutput', { task_id: id, input: 'model\n' })
    expect((await sendCommand(page, 'type', { ...job, text: 'person\r' })).status).toBe(204)
    await eventually(() => shown().includes('got [person]'))
    expect(await typeAsModel()).toMatch(/person|user/i)
    expect(shown()).not.toContain('got [model]')
    expect((await sendCommand(page, 'give-back', job)).status).toBe(204)
    await typeAsModel()
    await eventually(() => shown().includes('got [model]'))
    await callText(client, 'KillBgTask', { task_id: id })
    await opened.ended
  })

  test('answers a password that a command asks for', LINUX, async () => {
    const { client, page } = await begin()
    const watched = await watchConsole(page)
    const command = `p=$("$SUDO_ASKPASS" 'Password for me:'); echo "$p" | tr 'a-z' 'n-za-m'`
    const asked = callText(client, 'Bash', { command })
    const { secrets } = await watched.until((view) => view.secrets.length > 0)
    const [{ server, id } = { server: '', id: '' }] = secrets
    const mallory = tokenFor('mallory', client.env)
    expect((await sendCommand(page, 'secret', { server, id, value: 'wrong' }, mallory)).status).toBe(409)
    expect((await sendCommand(page, 'secret', { server, id, value: 'correct-horse-7' })).status).toBe(204)
    expect(await asked).toContain('pbeerpg-ubefr-7')
    await watched.until((view) => view.secrets.length === 0)
    watched.leave()
  })
})

test(
  'a page that is opened again after the owner was killed shows its job as lost',
  requires(postgresRequirement(postgres)),
  async () => {
    if (!postgres) return
    const fleet = await startFleet(postgres, ['a', 'b'], { ...SHORT_LEASE, WORKSPACE_FILES: 'shared' })
    try {
      await callText(fleet.next(), 'Bash', { command: 'true' })
      const [page] = await fleet.others()
      if (!page) throw new Error('no other machine')
      const watched = await watchConsole(page)
      const id = await startJob(page, { command: 'sleep 600' })
      await watched.until((view) => view.jobs.some((job) => job.id === id && job.isRunning))
      ;(await fleet.owner()).child.kill('SIGKILL')
      await watched.ended
      await eventually(
        () => callText(page, 'ListBgTasks', {}),
        (text) => text.includes('lost'),
      )
      const again = await watchConsole(page)
      const { jobs } = await again.until((view) => view.jobs.some((job) => job.id === id))
      expect(jobs.find((job) => job.id === id)).toMatchObject({ isRunning: false })
      again.leave()
    } finally {
      await fleet.stop()
    }
  },
)
