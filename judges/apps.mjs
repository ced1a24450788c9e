// Judge: the views of MCP Apps in a host on app-bridge of ext-apps, in Chromium: each is rendered, gets arguments and result,
// does what it is for, and follows theme, language and size. Then Inspector's report on apps (--app-info).
// `node judges/apps.mjs --pictures <folder>` keeps photographs of all views.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { eventually } from './apps/eventually.mjs'
import { openHost } from './apps/open-host.mjs'
import { views } from './apps/views.mjs'
import { openReport } from './shared/report.mjs'

const here = import.meta.dirname
const execFileAsync = promisify(execFile)
const program = resolve(here, '../dist/scorpiox-code.js')
const { pictures } = parseArgs({ options: { pictures: { type: 'string' } } }).values
const APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const THEMES = ['light', 'dark']
const LOCALES = [
  ['ko-KR', 'ko', 'ltr'],
  ['ar-EG', 'ar', 'rtl'],
]

if (pictures) mkdirSync(pictures, { recursive: true })
const report = openReport('apps')
const scratch = mkdtempSync(join(tmpdir(), 'scorpiox-judge-apps-'))
const host = await openHost()
await Promise.all([...views.map(judge), inspect()])
await host.close()
rmSync(scratch, { recursive: true, force: true })
report.finish()

async function judge(view) {
  const project = mkdtempSync(join(scratch, 'project-'))
  const client = await connect(project)
  let isReachable = true
  const request = (method, params) =>
    isReachable ? client.request({ method, params }, { timeout: 60_000 }) : Promise.reject(new Error('Not connected'))
  const call = (name, input) => client.callTool({ name, arguments: input }, { timeout: 60_000 })
  const check = (label, run) => report.check(`${view.name} | ${label}`, run, () => [])
  let opened
  try {
    await check('is named by its tool and can be read', async () => {
      const { tools } = await client.listTools()
      for (const name of view.tools) {
        const { _meta: meta } = tools.find((tool) => tool.name === name)
        assert.equal(meta.ui.resourceUri, `ui://scorpiox-code/${view.name}`)
      }
      opened = await open(request, view.name)
    })
    if (opened) {
      await check('does what it is for', () =>
        view.use({
          view: opened,
          call,
          project,
          reopen: (capabilities) => open(request, view.name, capabilities),
          setReachable: (reachable) => (isReachable = reachable),
          photograph: (state) => photograph(opened, `${view.name}-${state}`),
        }),
      )
      await look(check, opened, view)
    }
  } finally {
    await opened?.close()
    await client.close()
  }
}

async function connect(cwd) {
  const client = new Client({ name: 'judge', version: '1.0.0' }, { capabilities: { extensions: APPS } })
  const env = { PATH: process.env.PATH, HOME: scratch, SHELL: '/bin/sh', ASK_WAIT: '60', PLAN_APPROVAL: 'person' }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], cwd, env, stderr: 'ignore' }),
  )
  return client
}

async function open(request, name, capabilities) {
  const uri = `ui://scorpiox-code/${name}`
  const { contents } = await request('resources/read', { uri })
  const [{ text, mimeType, _meta: meta }] = contents
  assert.equal(mimeType, 'text/html;profile=mcp-app')
  assert.equal(typeof meta.ui.prefersBorder, 'boolean')
  return host.open({
    html: text,
    csp: meta.ui.csp,
    capabilities,
    request,
    context: {
      theme: 'light',
      locale: 'en-US',
      displayMode: 'inline',
      availableDisplayModes: ['inline', 'fullscreen'],
      containerDimensions: { maxHeight: 600, maxWidth: 640 },
    },
  })
}

/** How it looks, in the state that its use has left. */
async function look(check, view, { name }) {
  const { frame } = view
  const root = (expression) =>
    frame.evaluate(`(() => { const root = document.documentElement; return ${expression} })()`)
  await check('is as high as its content', async () => {
    await eventually(async () => {
      const [inner, outer] = [await root('root.scrollHeight'), await view.frameHeight()]
      assert.ok(Math.abs(inner - outer) <= 1, `${inner} px of content in ${outer} px`)
    })
    assert.ok((await view.sizes()).length > 0)
  })
  for (const theme of THEMES) {
    await check(`is accessible in ${theme}`, async () => {
      await view.changeContext({ theme })
      await eventually(async () => assert.equal(await root('getComputedStyle(root).colorScheme'), theme))
      assert.deepEqual(await view.violations(), [])
      await photograph(view, `${name}-${theme}`)
    })
  }
  await check('uses the colours of the host', async () => {
    const before = await root('getComputedStyle(root).color')
    await view.changeContext({ styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } } })
    await eventually(async () => assert.equal(await root('getComputedStyle(root).color'), 'rgb(1, 2, 3)'))
    await view.changeContext({ styles: { variables: { '--color-text-primary': before } } })
  })
  await view.changeContext({ theme: 'light', styles: { variables: { '--color-text-primary': '#15191e' } } })
  for (const [locale, language, direction] of LOCALES) {
    await check(`speaks ${language}`, async () => {
      const english = await frame.locator('body').innerText()
      await view.changeContext({ locale })
      await eventually(async () =>
        assert.deepEqual([await root('root.lang'), await root('root.dir')], [language, direction]),
      )
      assert.notEqual(await frame.locator('body').innerText(), english)
      assert.deepEqual(await view.violations(), [])
      await photograph(view, `${name}-${language}`)
    })
  }
  await check('fits a narrow chat', async () => {
    await view.page.setViewportSize({ width: 352, height: 720 })
    await eventually(async () =>
      assert.ok((await root('root.scrollWidth - root.clientWidth')) <= 0, 'it scrolls sideways'),
    )
    await photograph(view, `${name}-narrow`)
  })
  await check('loads nothing and breaks no policy', async () => {
    assert.deepEqual(view.problems, [])
    assert.deepEqual(view.origins(), [])
  })
}

async function photograph(view, name) {
  if (pictures) await view.page.screenshot({ path: join(pictures, `${name}.png`) })
}

/** Inspector reads each view and says whether a host could show it. */
async function inspect() {
  const node = join(here, 'node_modules/node22/bin/node')
  if (spawnSync(node, ['--version']).status !== 0) return report.skip('inspector', `no Node 22 for ${process.platform}`)
  const launcher = join(here, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const probe = ['--cli', process.execPath, program, '--method', 'tools/list', '--app-info']
  const options = { cwd: scratch, env: { PATH: process.env.PATH, HOME: scratch }, timeout: 60_000 }
  const run = async (...more) => {
    const { stdout } = await execFileAsync(node, [launcher, ...probe, ...more], options)
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  await report.check(
    'inspector | --app-info with the extension',
    async () => {
      const found = (await run('--advertise-apps')).filter(({ hasApp }) => hasApp)
      const expected = views.flatMap(({ name, tools }) => tools.map((tool) => [tool, `ui://scorpiox-code/${name}`]))
      assert.deepEqual(
        Object.fromEntries(found.map(({ toolName, resourceUri }) => [toolName, resourceUri])),
        Object.fromEntries(expected),
      )
      for (const { resourceMimeType } of found) assert.equal(resourceMimeType, 'text/html;profile=mcp-app')
    },
    () => [],
    60_000,
  )
  await report.check(
    'inspector | --app-info without it',
    async () => {
      const found = await run()
      assert.deepEqual([found.length, found.filter(({ hasApp }) => hasApp)], [13, []])
    },
    () => [],
    60_000,
  )
}
