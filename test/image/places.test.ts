// Which paths ReadImage may read, however they are spelled or changed; files that an image refers to are not read.

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'

import { cleanEnv, emptyFolder, type Json, LEGACY, PROGRAM, startServer } from '../support/client.js'
import { callOf, modernCall, sendRequest, startProgram } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { svg } from './make.js'
import { decodeImage, openServer, readImage } from './support.js'

const RED = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
  .png()
  .toBuffer()

interface ImageProject {
  readonly project: string
  readonly outside: string
}

function newImageProject(): ImageProject {
  // Not in /tmp, which is hidden in a sandbox.
  const root = mkdtempSync('/var/tmp/scorpiox-images-')
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, 'project')
  const outside = join(root, 'outside')
  for (const folder of [project, outside, join(root, 'project-too'), join(project, 'hidden')]) mkdirSync(folder)
  for (const path of ['project/in.png', 'outside/out.png', 'project-too/near.png', 'project/hidden/secret.png'])
    writeFileSync(join(root, path), RED)
  symlinkSync(join(outside, 'out.png'), join(project, 'link.png'))
  symlinkSync(outside, join(project, 'folder'))
  symlinkSync(join(project, 'in.png'), join(outside, 'back.png'))
  return { project, outside }
}

/** Paths that lead out of the project, and paths that lead into it. */
function paths({ project, outside }: ImageProject): {
  readonly out: readonly string[]
  readonly in: readonly string[]
} {
  return {
    out: [
      join(outside, 'out.png'),
      join(project, 'link.png'),
      join(project, 'folder', 'out.png'),
      `${project}/../outside/out.png`,
      `${project}/folder/../project-too/near.png`,
      `${project}-too/near.png`,
      `/proc/self/root${outside}/out.png`,
    ],
    in: [
      join(project, 'in.png'),
      `${project}//in.png`,
      `${project}/folder/../project/in.png`,
      join(outside, 'back.png'),
      `/proc/self/root${project}/in.png`,
    ],
  }
}

describe('the roots', () => {
  test('reject every path that leads out, and accept every one that leads in', async () => {
    const imageProject = newImageProject()
    const { out, in: inside } = paths(imageProject)
    const client = await openServer({
      cwd: imageProject.outside,
      env: { READIMAGE_ROOTS: ` ${imageProject.project} ,/nowhere` },
    })
    for (const path of out)
      expect((await readImage(client, path)).text).toMatch(/is outside the directories that ReadImage may read/)
    for (const path of inside) expect((await readImage(client, path)).isError, path).toBe(false)
  })

  test('are unrestricted over stdio without a sandbox', async () => {
    const { outside } = newImageProject()
    expect((await readImage(await openServer(), join(outside, 'out.png'))).isError).toBe(false)
  })

  test('are the project without hidden paths if commands are sandboxed', async () => {
    const imageProject = newImageProject()
    const { out, in: inside } = paths(imageProject)
    const env = { SANDBOX: 'workspace', SANDBOX_HIDE: 'hidden' }
    const client = await openServer({ cwd: imageProject.project, env })
    for (const path of out) expect((await readImage(client, path)).text).toMatch(/is outside the directories/)
    for (const path of inside) expect((await readImage(client, path)).isError, path).toBe(false)
    expect((await readImage(client, join(imageProject.project, 'hidden/secret.png'))).text).toMatch(
      /is hidden from commands/,
    )
  })

  test('existing and missing files get the same answer where access is denied', async () => {
    const { project, outside } = newImageProject()
    mkdirSync(join(outside, 'folder.png'))
    for (const name of ['none.png', 'folder.png']) symlinkSync(join(outside, name), join(project, `to-${name}`))
    symlinkSync(join(project, 'hidden/none.png'), join(project, 'to-hidden.png'))
    const env = { SANDBOX: 'workspace', SANDBOX_HIDE: 'hidden' }
    const client = await openServer({ cwd: project, env })
    const outer = [
      ...['out.png', 'none.png', 'folder.png', 'none/none.png'].map((name) => join(outside, name)),
      ...['link.png', 'to-none.png', 'to-folder.png', 'folder/none.png'].map((name) => join(project, name)),
      `${project}/../outside/none.png`,
      `/proc/self/root${outside}/none.png`,
      '/dev/null',
      '/proc/self/environ',
    ]
    for (const path of outer) expect((await readImage(client, path)).text, path).toMatch(/is outside the directories/)
    for (const name of ['hidden/secret.png', 'hidden/none.png', 'hidden', 'to-hidden.png'])
      expect((await readImage(client, join(project, name))).text, name).toMatch(/is hidden from commands/)
    expect((await readImage(client, join(project, 'none.png'))).text).toMatch(/is not there/)
  })

  test('a configured folder inside a hidden one makes only that folder readable', async () => {
    const { project } = newImageProject()
    const shots = join(project, 'hidden', 'shots')
    mkdirSync(shots)
    writeFileSync(join(shots, 'shot.png'), RED)
    const env = { SANDBOX: 'workspace', SANDBOX_HIDE: 'hidden', READIMAGE_ROOTS: `${project},${shots}` }
    const client = await openServer({ cwd: project, env })
    expect((await readImage(client, join(shots, 'shot.png'))).isError).toBe(false)
    expect((await readImage(client, join(project, 'hidden/secret.png'))).text).toMatch(/is hidden from commands/)
  })

  test('a path that changes during the check never discloses files outside', async () => {
    const { project, outside } = newImageProject()
    const green = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#0f0' } })
      .png()
      .toBuffer()
    writeFileSync(join(project, 'own.png'), green)
    const client = await openServer({ cwd: project, env: { READIMAGE_ROOTS: project } })
    await readImage(client, join(project, 'own.png'))
    symlinkSync(join(project, 'own.png'), join(project, 'race.png'))
    const over = new AbortController()
    const swap = (async () => {
      for (let round = 0; !over.signal.aborted; round++) {
        symlinkSync(
          join(round % 2 === 0 ? outside : project, round % 2 === 0 ? 'out.png' : 'own.png'),
          join(project, 'new'),
        )
        renameSync(join(project, 'new'), join(project, 'race.png'))
        await sleep(round % 3)
      }
    })()
    const counts = { shown: 0, refused: 0 }
    for (let tries = 0; tries < 150; tries++) {
      const result = await readImage(client, join(project, 'race.png'))
      if (result.isError) counts.refused++
      else {
        counts.shown++
        expect((await decodeImage(result)).at(4, 4)).toEqual([0, 255, 0])
      }
    }
    over.abort()
    await swap
    expect(Math.min(counts.shown, counts.refused)).toBeGreaterThan(0)
  })
})

test('a terminal gets a description of the image, not its bytes', () => {
  const args = [PROGRAM, 'call', 'ReadImage', `file_path=${join(newImageProject().project, 'in.png')}`]
  const text = execFileSync(process.execPath, args, { env: cleanEnv(), encoding: 'utf8' })
  expect(text).toBe('[image/png, 1 KB of base64]\n[PNG, 8x8, 1 KB] The whole image in full size.\n')
})

test('a relative path is resolved against the working directory of commands', async () => {
  const { project } = newImageProject()
  mkdirSync(join(project, 'shots'))
  writeFileSync(join(project, 'shots', 'one.png'), RED)
  writeFileSync(join(project, '~draft.png'), RED)
  const client = await openServer({ cwd: project })
  for (const path of ['in.png', './in.png', 'shots/one.png', 'shots/../in.png', '~draft.png'])
    expect(await readImage(client, path), path).toMatchObject({ isError: false, structured: { format: 'PNG' } })
  expect((await readImage(client, 'shots/none.png')).text).toBe(`${project}/shots/none.png is not there.\n`)
})

test('a relative path cannot leave the roots either', async () => {
  const { project } = newImageProject()
  const client = await openServer({ cwd: project, env: { SANDBOX: 'workspace', SANDBOX_HIDE: 'hidden' } })
  for (const path of ['../outside/out.png', '../outside/none.png', 'link.png', 'folder/../outside/out.png'])
    expect((await readImage(client, path)).text, path).toMatch(/is outside the directories/)
  expect((await readImage(client, 'hidden/secret.png')).text).toMatch(/is hidden from commands/)
  expect((await readImage(client, 'in.png')).isError).toBe(false)
})

test('a name that looks the same is found, if it is unique', async () => {
  const folder = emptyFolder()
  const client = await openServer()
  writeFileSync(join(folder, 'Shot at 3.00\u202FPM.png'), RED)
  writeFileSync(join(folder, 'cafe\u0301.png'), RED)
  for (const name of ['Shot at 3.00 PM.png', 'caf\u00e9.png'])
    expect((await readImage(client, join(folder, name))).isError, name).toBe(false)
  writeFileSync(join(folder, 'Shot\u00a0at 3.00\u202FPM.png'), RED)
  expect((await readImage(client, join(folder, 'Shot at 3.00 PM.png'))).text).toMatch(/is not there/)
})

test('a file that grows or shrinks while it is read gives an image or a message', async () => {
  const path = join(emptyFolder(), 'changing.png')
  const client = await openServer()
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted) {
      writeFileSync(path, RED)
      await sleep(1)
      appendFileSync(path, Buffer.alloc(200_000))
      await sleep(1)
      truncateSync(path, 20)
      await sleep(1)
    }
  })()
  for (let tries = 0; tries < 100; tries++) {
    const { isError, image, text } = await readImage(client, path)
    expect(isError, text).toBe(image === undefined)
  }
  over.abort()
  await writing
})

describe('over HTTP', () => {
  const shown = async (env: NodeJS.ProcessEnv, cwd: string, path: string): Promise<Json> => {
    const server = await startProgram({ cwd, env })
    onTestFinished(async () => void (await server.stop()))
    return (await sendRequest(server, modernCall('ReadImage', { file_path: path }))).json.result
  }

  test('sandboxed callers can read the project only', requires(SANDBOX), async () => {
    const { project, outside } = newImageProject()
    expect((await shown({}, project, join(outside, 'out.png'))).content[0].text).toMatch(/is outside the directories/)
    expect((await shown({}, project, join(project, 'in.png'))).content[0].type).toBe('image')
  })

  test('callers without commands can read the project only', async () => {
    const { project, outside } = newImageProject()
    const env = { SANDBOX: 'off', TOOL_BASH: '0', TOOL_BACKGROUNDBASH: '0' }
    expect((await shown(env, project, join(outside, 'out.png'))).content[0].text).toMatch(/is outside the directories/)
  })

  test('in the ArmorIQ format the image is text that is JSON', async () => {
    const { project } = newImageProject()
    const server = await startProgram({ cwd: project, env: { SANDBOX: 'off' } })
    onTestFinished(async () => void (await server.stop()))
    const { json } = await sendRequest(server, { body: callOf('ReadImage', { file_path: join(project, 'in.png') }) })
    const [image, message] = json.result.content.map(({ text }: Json) => JSON.parse(text))
    expect(image).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(message.result).toMatch(/^\[PNG, 8x8, 1 KB\] The whole image/)
  })
})

test.each(LEGACY)('at %s there is one image and one text', async (revision) => {
  const { project } = newImageProject()
  const client = startServer()
  onTestFinished(async () => void (await client.close()))
  await client.initialize(revision)
  const params = { name: 'ReadImage', arguments: { file_path: join(project, 'in.png') } }
  const { result } = await client.request('tools/call', params)
  expect(result.content.map(({ type }: Json) => type)).toEqual(['image', 'text'])
  expect(JSON.stringify(result).split(result.content[0].data)).toHaveLength(2)
})

describe('a drawing', () => {
  test('shows nothing that it refers to, local or remote', async () => {
    let visits = 0
    const server = createServer((_, response) => {
      visits++
      response.end(RED)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const folder = emptyFolder()
    writeFileSync(join(folder, 'red.png'), RED)
    writeFileSync(join(folder, 'red.svg'), svg('<rect id="r" width="40" height="30" fill="#f00"/>'))
    const urls = [
      `file://${folder}/red.png`,
      `${folder}/red.png`,
      'red.png',
      './red.png',
      `http://127.0.0.1:${port}/x.png`,
      `file:///proc/self/cwd/red.png`,
    ]
    const images = urls.map((url) => `<image width="40" height="30" href="${url}" xlink:href="${url}"/>`)
    const style = `<style>@import url("http://127.0.0.1:${port}/x.css"); rect { fill: url("file://${folder}/red.svg#r") none }</style>`
    const uses = `<use href="file://${folder}/red.svg#r"/><use href="red.svg#r"/><rect width="40" height="30"/>`
    const client = await openServer({ cwd: folder })
    for (const inside of [...images, `${style}${uses}`]) {
      const path = join(folder, 'drawing.svg')
      writeFileSync(path, svg(inside, 'width="40" height="30" xmlns:xlink="http://www.w3.org/1999/xlink"'))
      const result = await readImage(client, path)
      if (result.isError) continue
      const [red = 0, green = 0] = (await decodeImage(result)).at(500, 400)
      expect(red - green, inside).toBeLessThan(50)
    }
    expect(visits).toBe(0)
  })
})
