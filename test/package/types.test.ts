// The declarations of the package compile without @types/node.

import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, expect, test } from 'vitest'

import { blocksOf, ROOT } from '../library/blocks.js'
import { emptyFolder } from '../support/client.js'

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const project = emptyFolder()

beforeAll(() => {
  // The TypeScript files of the package; contents.test.ts checks that all of them are packed.
  const installed = join(project, 'node_modules/scorpiox-code')
  cpSync(join(ROOT, 'dist/types'), join(installed, 'dist/types'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const example = blocksOf('README.md').find(({ code }) => code.includes("from '@scorpiox/mcp'"))
  const code = example?.code.replace("'@scorpiox/mcp'", "'scorpiox-code'")
  writeFileSync(join(project, 'server.ts'), code ?? 'the README has no example')
})

test.each([
  ['the default libraries', {}],
  ['no DOM', { target: 'es2022', lib: ['es2022'] }],
  ['a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
])('the declarations compile with %s', (_, extra) => {
  const common = { module: 'nodenext', target: 'es2023', strict: true, types: [], skipLibCheck: false, noEmit: true }
  const config = { compilerOptions: { ...common, ...extra }, files: ['server.ts'] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', project], { encoding: 'utf8' })
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})
