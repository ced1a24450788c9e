// The sizes of what clients receive and authors bundle. The numbers are printed at the end of a run, beside those that
// `npm run generate` has recorded.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { expect, test, type TestContext } from 'vitest'

import { bundled, kernelSize } from '../../scripts/kernel-size.mjs'
import { LIBRARY, startServer } from '../support/client.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

const MOST_TOOLS_LIST = 8500
/** 700 more than before: views of MCP Apps, and tools that only views call, are hidden from all other clients. */
const MOST_KERNEL = 61_700

const recorded: { readonly toolsList: number; readonly kernel: number } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'sizes.json'), 'utf8'),
)

test('tools/list of all tools', async ({ task }) => {
  const client = startServer()
  await client.initialize('2025-11-25')
  const answer = await client.request('tools/list', {}, 1)
  await client.close()
  const bytes = Buffer.byteLength(JSON.stringify(answer))
  const { tools } = answer.result
  say(task, `tools/list: ${spelt(bytes)} bytes with ${tools.length} tools, at most ${spelt(MOST_TOOLS_LIST)}`, {
    was: recorded.toolsList,
    is: bytes,
  })
  expect(tools).toHaveLength(13)
  expect(tools.filter((tool: object) => !('annotations' in tool))).toEqual([])
  expect(bytes).toBeLessThanOrEqual(MOST_TOOLS_LIST)
})

test('what a server with one tool loads over stdio', async (context) => {
  skipIfMissing(context, MISSING.moduleList)
  const { task } = context
  const { loaded, apart } = await kernelSize()
  const http = await bundled("import { serveHttp } from 'scorpiox-code'\nawait serveHttp({ tools: [] })")
  const kernel = sum(loaded)
  const more = Object.entries(apart).map(([name, bytes]) => `${name.replace('.mjs', '')} ${spelt(bytes)}`)
  say(task, `kernel with stdio: ${spelt(kernel)} bytes minified, at most ${spelt(MOST_KERNEL)}`, {
    was: recorded.kernel,
    is: kernel,
  })
  task.meta.says?.push(`  and when it is needed: ${more.join(', ')}; with HTTP ${spelt(sum(http))} in all`)
  expect(Object.keys(loaded)).toContain('entry.mjs')
  expect(kernel).toBeLessThanOrEqual(MOST_KERNEL)
})

test('an unused import adds nothing to a bundle, and a small one little', async () => {
  const library: object = await import(pathToFileURL(LIBRARY).href)
  const names = Object.keys(library)
  expect(names).toContain('serve')
  for (const name of names) {
    expect(sum(await bundled(`import { ${name} } from 'scorpiox-code'`)), name).toBeLessThan(20)
  }
  const small = await bundled("import { defineTool, Failure } from 'scorpiox-code'\nexport { defineTool, Failure }")
  expect(sum(small)).toBeLessThan(500)
})

declare module 'vitest' {
  interface TaskMeta {
    /** Lines to print at the end of the run. */
    says?: string[]
  }
}

function say(
  task: TestContext['task'],
  line: string,
  { was, is }: { readonly was: number; readonly is: number },
): void {
  task.meta.says = [`${line} (recorded ${spelt(was)}, ${is < was ? '' : '+'}${is - was})`]
}

function spelt(bytes: number): string {
  return bytes.toLocaleString('en-US')
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((total, bytes) => total + bytes, 0)
}
