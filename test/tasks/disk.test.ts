// A disk that becomes full under a running server and has space again, as a client of TaskManager sees it.

import { expect, test } from 'vitest'

import { call, emptyFolder, PROGRAM, startServer, task } from '../support/client.js'
import { canRun, requires } from '../support/requirements.js'

const CYCLES = 20
const BWRAP = ['--dev-bind', '/', '/', '--die-with-parent']
const BUBBLEWRAP = { isMet: canRun('bwrap', [...BWRAP, 'true']), reason: 'bubblewrap is not installed or cannot mount' }

test('full and free again, 20 times: acknowledged tasks exist, without a restart', requires(BUBBLEWRAP), async () => {
  const folder = emptyFolder()
  const disk = ['--perms', '0700', '--size', '8388608', '--tmpfs', folder]
  const client = startServer({
    file: 'bwrap',
    args: [...BWRAP, ...disk, process.execPath, PROGRAM],
    env: { STATE_DIR: folder },
  })
  const acknowledged = new Map<number, string>()
  const create = async (text: string): Promise<string | undefined> => {
    const result = await task(client, 'create', { text })
    if (result.isError) return result.text
    acknowledged.set(result.structured.current_task, text)
    return undefined
  }
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    expect(await create(`free ${cycle}`)).toBeUndefined()
    await call(client, 'Bash', { command: `dd if=/dev/zero of=${folder}/big bs=${1024 * (1 + cycle)}; true` })
    let refusal: string | undefined
    for (let tries = 0; tries < 300 && refusal === undefined; tries++) refusal = await create(`full ${cycle} ${tries}`)
    expect(refusal).toMatch(/^The disk of \S+state\.db is full, nothing was changed; free some space and try again/)
    expect((await task(client, 'list')).structured).toMatchObject({ open_tasks: acknowledged.size })
    await call(client, 'Bash', { command: `rm ${folder}/big` })
  }
  for (const [id, name] of acknowledged) {
    expect((await task(client, 'list', { task_id: id })).structured.tasks).toMatchObject([{ name }])
  }
  expect(await client.close()).toBe(0)
})

const OWN_MOUNTS = ['-rm', 'bash', '-c', 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"']
const UNSHARE = {
  isMet: canRun('unshare', [...OWN_MOUNTS, emptyFolder(), 'true']),
  reason: 'unshare cannot create a mount namespace',
}

test('read-only when the server started: work continues when it is writable', requires(UNSHARE), async () => {
  const folder = emptyFolder()
  const other = startServer({ env: { STATE_DIR: folder } })
  await task(other, 'create', { text: 'Of another server, which holds the file' })
  const client = startServer({
    file: 'unshare',
    args: [...OWN_MOUNTS, folder, process.execPath, PROGRAM],
    env: { STATE_DIR: folder },
  })
  for (let tries = 0; tries < 3; tries++) {
    const refused = await task(client, 'create', { text: 'Refused' })
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/state\.db cannot be (written to|opened)/),
    })
  }
  expect((await task(client, 'list')).structured.found).toBe(0)
  expect(await call(client, 'Bash', { command: `mount -o remount,rw,bind ${folder}` })).toMatchObject({
    isError: false,
  })
  expect(await task(client, 'create', { text: 'Kept' })).toMatchObject({ isError: false })
  expect(await client.close()).toBe(0)
  expect(await other.close()).toBe(0)
})
