import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { loadConfig } from '@scorpiox/server/config/load-config'
import { emptyFolder } from '../../../../../test/support/client.js'
import { diagnoseProjectEnvironment } from './diagnose-environment.js'

const diagnose = (cwd: string, kind: string) =>
  diagnoseProjectEnvironment(loadConfig({ programDir: '/nowhere', cwdFlag: cwd, overrides: [`SHELL_ENV=${kind}`] }))

test('what commands get of the environment of the project', () => {
  const cwd = emptyFolder()
  expect(diagnose(cwd, 'off')).toEqual([])
  expect(diagnose(cwd, 'venv')).toMatchObject([
    { name: 'environment', ok: true, detail: expect.stringContaining('no .venv') },
  ])
  const python = join(cwd, '.venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  mkdirSync(dirname(python), { recursive: true })
  writeFileSync(join(cwd, '.venv/pyvenv.cfg'), '')
  expect(diagnose(cwd, 'venv')).toMatchObject([
    { ok: false, fix: expect.stringContaining('its Python no longer exists') },
  ])
  writeFileSync(python, '')
  expect(diagnose(cwd, 'venv')).toMatchObject([{ ok: true, detail: python }])
  expect(diagnose(cwd, 'direnv')).toMatchObject([{ name: 'environment', detail: expect.stringContaining('direnv') }])
})
