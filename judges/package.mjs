// Judge: the published package. Packs it, checks it with publint and arethetypeswrong, installs it into an empty directory and
// uses it as a command, a server and a library. Then starts the Claude Desktop bundle like the app does, and checks the
// registry entry.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { getMcpConfigForManifest, unpackExtension } from '@anthropic-ai/mcpb'
import { judgeEntry } from './package/registry-rules.mjs'
import { openReport } from './shared/report.mjs'

const here = import.meta.dirname
const root = resolve(here, '..')
const report = openReport('package')
const folder = mkdtempSync(join(tmpdir(), 'scorpiox-package-'))
const home = join(folder, 'home')
const app = join(folder, 'app')
const onWindows = process.platform === 'win32'
// npm settings of the user could hide problems of a default configuration.
const env = { ...process.env, HOME: home, npm_config_yes: 'true', npm_config_update_notifier: 'false' }
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const SERVER = `import { defineTool, serve } from 'scorpiox-code'

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets by name',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  run: ({ name }) => name.toUpperCase(),
  format: (name) => 'Hello, ' + name,
})

await serve({ name: 'greeter', version: '1.0.0', tools: [greet] })
`

try {
  const tarball = pack()
  await judge('publint reports nothing', () => {
    const output = run(process.execPath, [bin('publint'), tarball, '--strict'], { cwd: root })
    assert.match(output, /All good/)
  })
  await judge('the types are found as TypeScript looks for them', () => {
    run(process.execPath, [bin('@arethetypeswrong/cli'), tarball, '--profile', 'esm-only', '--format', 'ascii'], {
      cwd: folder,
    })
  })
  await judge('it installs into an empty folder, and nothing is run there', () => install(tarball))
  await judge('npx calls a tool', () => {
    assert.match(npx(['scorpiox-code', 'call', 'Bash', 'command=echo hi']), /^hi$/m)
  })
  await judge('npx calls a tool that remembers', () => {
    assert.match(npx(['scorpiox-code', 'call', 'TaskManager', 'action=create', 'query=Ship it']), /Ship it/)
    assert.match(npx(['scorpiox-code', 'call', 'TaskManager', 'action=list', 'query=']), /Ship it/)
  })
  await judge('npx starts the server', async () => {
    const [first, list, call] = await converse('npx', ['scorpiox-code'], { cwd: app, env, shell: onWindows })
    assert.equal(first.result.serverInfo.version, manifest.version)
    assert.equal(list.result.tools.length, 13)
    assert.match(call.result.content[0].text, /^hi/)
  })
  await judge('a library server answers', async () => {
    writeFileSync(join(app, 'server.mjs'), SERVER)
    const greeted = ['greet', { name: 'Ann' }]
    const [, , call] = await converse(process.execPath, ['server.mjs'], { cwd: app, env }, greeted)
    assert.equal(call.result.content[0].text, 'Hello, ANN')
  })
  for (const module of ['nodenext', 'bundler']) {
    await judge(`a library server in TypeScript is right, and a wrong one is not, with ${module}`, () =>
      compile(module),
    )
  }
  for (const runtime of runtimes()) {
    await judge(`require gives a CommonJS program on ${runtime.label} the same library`, () => {
      const program =
        "const { defineTool, serve } = require('scorpiox-code'); console.log(typeof defineTool, typeof serve)"
      writeFileSync(join(app, 'program.cjs'), program)
      assert.equal(run(runtime.file, ['program.cjs'], { cwd: app }).trim(), 'function function')
    })
  }
  await judge('the registry would take server.json', () => {
    const entry = JSON.parse(readFileSync(join(root, 'server.json'), 'utf8'))
    judgeEntry(entry)
    assert.equal(entry.name, manifest.mcpName)
    assert.equal(entry.version, manifest.version)
    assert.throws(() => judgeEntry({ ...entry, name: 'no-namespace' }))
  })
  await judge('Claude Desktop could install the bundle and start it', startBundle, 240_000)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report.finish()

function judge(label, check, limit = 120_000) {
  return report.check(
    label,
    async () => check(),
    () => [],
    limit,
  )
}

function pack() {
  const [{ filename, size, unpackedSize }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], root))
  console.log(`package: ${filename}, ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked`)
  return join(folder, filename)
}

function install(tarball) {
  for (const place of [home, app]) mkdirSync(place)
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }\n')
  const { status, stderr } = spawnSync('npm', ['install', tarball, '--no-audit', '--no-fund', '--foreground-scripts'], {
    cwd: app,
    env,
    encoding: 'utf8',
    shell: onWindows,
  })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /install-scripts|EBADENGINE|deprecated/)
  const { packages } = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'))
  const withScript = Object.keys(packages).filter((path) => packages[path].hasInstallScript)
  assert.deepEqual(withScript, [])
  const known = new Set(knownToSbom())
  const named = Object.entries(packages).map(
    ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
  )
  const unlisted = named.filter((name) => !known.has(name) && !name.startsWith('scorpiox-code@'))
  assert.deepEqual(unlisted, [], 'installed, and not in the SBOM')
  console.log(`package: ${named.length} packages installed`)
}

function knownToSbom() {
  run(process.execPath, [join(root, 'scripts/sbom.mjs')], { cwd: root })
  const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'))
  return components.map((component) => component['bom-ref'])
}

function compile(module) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const moduleResolution = module === 'bundler' ? 'bundler' : 'nodenext'
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', module === 'bundler' ? 'esnext' : module]
  const check = (program) => {
    writeFileSync(join(app, 'server.mts'), program)
    return spawnSync(
      process.execPath,
      // Without @types/node: the package must not need it.
      [tsc, ...options, '--moduleResolution', moduleResolution, 'server.mts'],
      { cwd: app, encoding: 'utf8' },
    )
  }
  const right = check(SERVER)
  assert.equal(right.status, 0, right.stdout)
  const wrong = check(SERVER.replace('name.toUpperCase()', 'name.toFixed()'))
  assert.match(wrong.stdout, /toFixed/)
}

async function startBundle() {
  run(process.execPath, [join(root, 'scripts/bundle.mjs')], { cwd: root })
  const unpacked = join(folder, 'unpacked')
  assert.ok(
    await unpackExtension({ mcpbPath: join(root, 'dist/scorpiox-code.mcpb'), outputDir: unpacked, silent: true }),
  )
  const bundle = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
  const {
    command,
    args,
    env: settings,
  } = await getMcpConfigForManifest({
    manifest: bundle,
    extensionPath: unpacked,
    systemDirs: { HOME: home },
    userConfig: { workspace: app },
    pathSeparator: '/',
  })
  assert.equal(command, 'node')
  assert.doesNotMatch(JSON.stringify(settings), /\$\{/)
  const [first, list, call] = await converse(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, ...settings },
  })
  assert.equal(first.result.serverInfo.version, bundle.version)
  assert.deepEqual(
    list.result.tools.map(({ name }) => name),
    bundle.tools.map(({ name }) => name),
  )
  assert.match(call.result.content[0].text, /^hi/)
  assert.equal(settings.STARTUP_DIR, app)
  assert.ok(!existsSync(join(unpacked, 'node_modules/vitest')))
  assert.ok(readdirSync(join(unpacked, 'node_modules')).includes('sharp'))
}

/** Sends initialize, tools/list and tools/call to a server, which then exits. */
async function converse(command, args, options, [name, input] = ['Bash', { command: 'echo hi' }]) {
  const server = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  server.stderr.on('data', (chunk) => (complaints += chunk))
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const closed = new Promise((settle) => server.once('close', settle))
  const clientInfo = { name: 'judge', version: '1' }
  const requests = [
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }],
    ['tools/list', {}],
    ['tools/call', { name, arguments: input }],
  ]
  const timer = setTimeout(() => server.kill('SIGKILL'), 60_000)
  try {
    const answers = []
    for (const [id, [method, params]] of requests.entries()) {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`it ended before it answered: ${complaints.slice(0, 500)}`)
      answers.push(JSON.parse(value))
    }
    return answers
  } finally {
    server.stdin.end()
    await closed
    clearTimeout(timer)
  }
}

function runtimes() {
  const others = ['node22', 'node24'].map((name) => ({
    label: name,
    file: join(here, 'node_modules', name, 'bin/node'),
  }))
  return [{ label: process.version, file: process.execPath }, ...others.filter(({ file }) => existsSync(file))]
}

function bin(name) {
  const place = join(here, 'node_modules', name)
  const { bin: named } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  return join(place, typeof named === 'string' ? named : Object.values(named)[0])
}

function npx(args) {
  return run('npx', args, { cwd: app, env, shell: onWindows })
}

function npm(args, cwd) {
  return run('npm', args, { cwd, shell: onWindows })
}

function run(command, args, options) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 240_000, ...options })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${status ?? error}: ${stdout} ${stderr}`)
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
