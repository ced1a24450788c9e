// A file is checked by its real path, however its path is changed meanwhile.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { needs } from '../../../../test/support/runtime.js'
import { describeOpenError, openUntrustedFile } from './untrusted-file.js'

function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-files-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Replaces a folder by a link and the link by the folder, as fast as it can. */
const SWAP = `
  const { renameSync } = require('node:fs')
  process.chdir(process.argv[1])
  console.log('ready')
  for (;;) {
    renameSync('open', 'kept'); renameSync('link', 'open')
    renameSync('open', 'link'); renameSync('kept', 'open')
  }`

describe(
  'a folder that turns into a link and back',
  needs(process.platform === 'linux' ? undefined : 'there is no /proc'),
  () => {
    for (const count of [2000, 20_000])
      test(
        `never makes a file elsewhere look like one inside it, ${count} tries`,
        { tags: count > 2000 ? ['long'] : [] },
        async () => {
          const folder = emptyFolder()
          for (const name of ['open', 'closed']) {
            mkdirSync(join(folder, name))
            writeFileSync(join(folder, name, 'x'), name)
          }
          symlinkSync('closed', join(folder, 'link'))
          const swapping = spawn(process.execPath, ['-e', SWAP, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
          onTestFinished(() => void swapping.kill('SIGKILL'))
          await once(swapping.stdout, 'data')
          const counts = { open: 0, closed: 0 }
          for (let tries = 0; tries < count; tries++) {
            const file = await openUntrustedFile(join(folder, 'open', 'x')).catch((error: unknown) => {
              if (!(error instanceof Failure)) throw error
            })
            if (!file) continue
            const text = await file.handle.readFile('utf8')
            await file.handle.close()
            if (text === 'open') counts.open++
            else {
              counts.closed++
              expect(file.realPath).toBe(join(folder, 'closed', 'x'))
            }
          }
          expect(Math.min(counts.open, counts.closed)).toBeGreaterThan(0)
        },
      )
  },
)

test('a file without read permission is distinguished from a missing one', () => {
  const refused = (code: string) => describeOpenError(Object.assign(new Error('no'), { code }))
  expect(['EACCES', 'EPERM'].map(refused)).toEqual(Array(2).fill('may not be read by this user'))
  expect(refused('ENOENT')).toBe('is not there')
})
