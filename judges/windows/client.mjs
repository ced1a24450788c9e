// Runs as node.exe inside Wine: `node.exe client.mjs <findings> <folder of the server> <stand-in shell> [executable]`. Starts
// the server, with node.exe or as the executable,
// over stdio and HTTP, runs its commands, and writes one JSON line for each check to the findings file, because output that
// is inherited from Unix does not arrive in Wine. Run by windows.mjs.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

const [, , findings, installed, standInShell, executable] = process.argv
const program = join(installed, 'node_modules', 'scorpiox-code', 'dist', 'scorpiox-code.js')
/** How clients start the program. */
const launch = executable ? { command: executable, words: [] } : { command: process.execPath, words: [program] }
const LIMIT_MS = 30_000
const TOOLS =
  'AskUserQuestion BackgroundBash Bash InvokeSkill KillBgTask ListBgTasks PlanMode ReadBgOutput ReadDocs ReadImage SetCallback TaskManager WebSearch'

const site = await openSite()
const home = 'C:\\judge\\home'
const project = 'C:\\judge\\my project'
const otherServer = { mcpServers: { other: { command: 'other.exe', args: [] } } }
for (const folder of [join(home, 'AppData', 'Roaming', 'Claude'), join(home, '.cursor'), project])
  mkdirSync(folder, { recursive: true })
writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify(otherServer))
const address = `127.0.0.1:${site.address().port}`
const env = {
  ...process.env,
  USERPROFILE: home,
  APPDATA: join(home, 'AppData', 'Roaming'),
  LOCALAPPDATA: join(home, 'AppData', 'Local'),
  FETCH_ALLOW: address,
  WEBSEARCH_ENGINES: 'searxng',
  SEARXNG_URL: `http://${address}`,
}
const withShell = { ...env, SHELL_PATH: standInShell }

await judgeTools(withShell)
await judgeState(withShell)
await judgeShells()
await judgeSystemFolder()
await judgeCommands()
await judgeHttp()
await judgeConsole()
site.close()
process.exit(0)

async function judgeTools(given) {
  const server = await openServer(given)
  const says = (tool, args, expected) => () => server.says(tool, args, expected)
  await check('tools | thirteen are listed', async () => {
    const { tools } = await server.request('tools/list', {})
    const names = tools.map(({ name }) => name).toSorted()
    assert.equal(names.join(' '), TOOLS)
  })
  await check('Bash | output and exit code', says('Bash', { command: 'echo two words& exit 3' }, /two words[^]*3/))
  await check(
    'Bash | backslashes and quotes',
    says('Bash', { command: 'echo "C:\\new folder\\a"' }, /C:\\new folder\\a/),
  )
  await check('Bash | the project is the working directory', says('Bash', { command: 'cd' }, /C:\\judge\\my project/i))
  await check(
    'Bash | a time limit',
    says('Bash', { command: 'ping -n 30 127.0.0.1', timeout: 1000 }, /timed? ?out|limit/i),
  )
  await check('Bash | the code page of the system', async () => {
    writeFileSync(join(project, 'oem.txt'), Buffer.from([0x84, 0x94, 0x0a]))
    await server.says('Bash', { command: 'type oem.txt' }, /äö/)
  })
  await check('BackgroundBash | offers no terminal', async () => {
    const { tools } = await server.request('tools/list', {})
    const { properties } = tools.find(({ name }) => name === 'BackgroundBash').inputSchema
    assert.deepEqual(Object.keys(properties), ['command'])
  })
  await check('BackgroundBash', says('BackgroundBash', { command: 'echo begun& ping -n 60 127.0.0.1' }, /job 1/))
  await check('ReadBgOutput', says('ReadBgOutput', { task_id: 1, wait_for_pattern: 'begun' }, /begun/))
  await check('ListBgTasks', says('ListBgTasks', {}, /ping -n 60/))
  await check('KillBgTask', async () => {
    await server.says('KillBgTask', { task_id: 1 }, /killed|ended/i)
    assert.match(listPrograms(), /node\.exe/i)
    assert.doesNotMatch(listPrograms(), /ping\.exe/i)
  })
  await check('KillBgTask | what a shell that has exited left running, as Git Bash lists it', async () => {
    await server.says('BackgroundBash', { command: 'leave ping -n 60 127.0.0.1' }, /job 2/)
    await server.says('ReadBgOutput', { task_id: 2, wait_for_end: true }, /ended|exit/i)
    assert.match(listPrograms(), /ping\.exe/i)
    await server.says('KillBgTask', { task_id: 2 }, /already ended/)
    assert.doesNotMatch(listPrograms(), /ping\.exe/i)
  })
  await check('Bash | what it leaves running', says('Bash', { command: 'leave ping -n 60 127.0.0.1' }, /./))
  await check('ReadImage | PNG', async () => {
    const { content } = await server.call('ReadImage', { file_path: await writeImage('png') })
    assert.ok(
      content.some(({ type }) => type === 'image'),
      JSON.stringify(content).slice(0, 300),
    )
  })
  await check('ReadImage | a path as Git Bash prints it', async () => {
    const path = (await writeImage('png')).replace(/^([A-Z]):/i, '/$1').replaceAll('\\', '/')
    const { content } = await server.call('ReadImage', { file_path: path.toLowerCase() })
    assert.ok(
      content.some(({ type }) => type === 'image'),
      JSON.stringify(content).slice(0, 300),
    )
  })
  const tiff = await writeImage('tiff')
  // The executable has no sharp.
  if (executable) await check('ReadImage | TIFF is refused', says('ReadImage', { file_path: tiff }, /no sharp/))
  else
    await check('ReadImage | TIFF, by sharp', async () => {
      const { content } = await server.call('ReadImage', { file_path: tiff })
      const isShown = content.some(({ type }) => type === 'image')
      assert.ok(isShown, JSON.stringify(content).slice(0, 300))
    })
  await check('ReadImage | SVG', async () => {
    const file = join(project, 'drawing.svg')
    writeFileSync(
      file,
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>',
    )
    const { content } = await server.call('ReadImage', { file_path: file })
    const isShown = content.some(({ type }) => type === 'image')
    // The executable has no sharp.
    if (executable) assert.match(JSON.stringify(content), /no sharp/)
    else assert.ok(isShown, JSON.stringify(content).slice(0, 300))
  })
  await check('ReadDocs', says('ReadDocs', { url: `http://${address}/page` }, /Plain words/))
  await check('WebSearch', says('WebSearch', { query: 'walnut joinery' }, /example\.com\/joints/))
  await check('TaskManager', says('TaskManager', { action: 'create', query: '', text: 'Kept' }, /Kept/))
  await check('PlanMode', says('PlanMode', { action: 'enter', goal: 'Outlive it' }, /Commands are now refused/))
  await check('PlanMode | commands are refused', says('Bash', { command: 'echo one' }, /not started: plan mode is on/))
  await check('PlanMode | reset', says('PlanMode', { action: 'reset' }, /reset/i))
  const question = { question: 'Which one?', header: 'Choice', options: [{ label: 'This' }, { label: 'That' }] }
  await check('AskUserQuestion', says('AskUserQuestion', { questions_json: JSON.stringify([question]) }, /This/))
  await check('InvokeSkill', says('InvokeSkill', { skill_name: 'create-skill' }, /create-skill/))
  await check('SetCallback', says('SetCallback', { action: 'set', message: 'look', delay_seconds: 3600 }, /3600|hour/))
  await check('the server ends when its input ends, without a word on stderr', async () => {
    assert.equal(await server.close(), 0)
    assert.equal(server.complaints(), '')
  })
  await check('nothing that a command left running outlives the server', async () => {
    assert.doesNotMatch(listPrograms(), /ping\.exe/i)
  })
}

async function judgeState(given) {
  await check('state | a task is kept over a restart', async () => {
    const server = await openServer(given)
    await server.says('TaskManager', { action: 'list', query: '' }, /Kept/)
    await server.close()
  })
  await check('state | the database file is found', async () => {
    const path = (await run(['state', 'path'])).trim().split(/\r?\n/)[0]
    assert.ok(existsSync(path), path)
  })
}

async function judgeShells() {
  await check('shell | PowerShell is described where no bash is', async () => {
    const server = await openServer(env)
    const { tools } = await server.request('tools/list', {})
    await server.close()
    for (const name of ['Bash', 'BackgroundBash'])
      assert.match(tools.find((tool) => tool.name === name).description, /PowerShell/)
    assert.match(tools.find(({ name }) => name === 'PlanMode').description, /commands are refused/)
  })
}

async function judgeSystemFolder() {
  await check('shell | is found when a client starts the server in System32', async () => {
    const server = await openServer(env, launch.command, launch.words, 'C:\\windows\\system32')
    const { tools } = await server.request('tools/list', {})
    await server.close()
    assert.match(tools.find(({ name }) => name === 'Bash').description, /PowerShell/)
  })
}

async function judgeCommands() {
  await check('--version', async () => assert.match(await run(['--version']), /^\d+\.\d+\.\d+/))
  await check('doctor | ends, and names the shell', async () =>
    assert.match(await run(['doctor']), /shell.*(powershell|bash)/i),
  )
  await check('install | writes what the clients read', async () => {
    await run(['install', 'claude-desktop', 'cursor', '--yes'])
    const files = [join(env.APPDATA, 'Claude', 'claude_desktop_config.json'), join(home, '.cursor', 'mcp.json')]
    for (const file of files) {
      const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'))
      const entry = Object.values(mcpServers).at(-1)
      assert.equal(entry.command, executable ? join(home, '.scorpiox', 'scorpiox-code.exe') : process.execPath)
      assert.deepEqual(entry.args ?? [], launch.words)
    }
  })
  await check('install | the entry starts a server', async () => {
    const file = join(env.APPDATA, 'Claude', 'claude_desktop_config.json')
    const [{ command, args }] = Object.values(JSON.parse(readFileSync(file, 'utf8')).mcpServers)
    const server = await openServer(withShell, command, args)
    await server.says('Bash', { command: 'echo started' }, /started/)
    await server.close()
  })
  await check('uninstall | removes it', async () => {
    await run(['uninstall', '--yes'])
    assert.doesNotMatch(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8'), /scorpiox/)
    // A file that install has made and that is empty now.
    assert.ok(!existsSync(join(env.APPDATA, 'Claude', 'claude_desktop_config.json')))
  })
}

async function judgeHttp() {
  const token = 'a-token-for-the-judge'
  const given = { ...withShell, HTTP_TOKEN: token }
  const server = spawn(launch.command, [...launch.words, 'serve', '--http', '--port', '0', '--no-sandbox'], {
    cwd: project,
    env: given,
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  let url
  await check('HTTP | starts', async () => {
    url = await eventually(
      () => /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output)?.[0],
      () => output,
    )
  })
  const post = (body, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    })
  await check('HTTP | a caller without a token is refused', async () => {
    assert.equal((await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status, 401)
  })
  await check('HTTP | a caller with a token runs a tool', async () => {
    const authorization = `Bearer ${token}`
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'judge', version: '1' } }
    const first = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, { authorization })
    const session = first.headers.get('mcp-session-id')
    await first.text()
    const headers = {
      authorization,
      ...(session && { 'mcp-session-id': session }),
      'mcp-protocol-version': '2025-11-25',
    }
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    const call = { name: 'Bash', arguments: { command: 'echo over http' } }
    const answer = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }, headers)
    assert.match(await answer.text(), /over http/)
  })
  await check('HTTP | the page', async () => {
    const page = await fetch(new URL('/', url))
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<script/)
  })
  server.kill()
}

async function judgeConsole() {
  await check('console | finds a running server over a named pipe', async () => {
    const server = await openServer(withShell)
    await server.says('BackgroundBash', { command: 'ping -n 60 127.0.0.1' }, /job/)
    const seen = await eventually(async () => {
      const { servers, jobs } = JSON.parse(await run(['inbox', '--json']))
      return servers?.length > 0 || jobs?.length > 0 ? JSON.stringify({ servers, jobs }) : undefined
    })
    assert.match(seen, /ping -n 60|my project/)
    await server.close()
  })
  await check('console | a stranger on the named pipe is not answered', async () => {
    const server = await openServer(withShell)
    const [database] = (await run(['state', 'path'])).trim().split(/\r?\n/)
    const folder = join(dirname(database), 'desks')
    const entry = await eventually(
      () => existsSync(folder) && readdirSync(folder).find((name) => name.endsWith('.json')),
    )
    const { address: pipe, key } = JSON.parse(readFileSync(join(folder, entry), 'utf8'))
    assert.match(key, /^[0-9a-f]{64}$/)
    const stranger = connect(pipe)
    let received = ''
    stranger.on('data', (chunk) => (received += chunk))
    const closed = new Promise((settle) => stranger.once('close', settle))
    stranger.write('{"kind":"presence","user":"wine","watching":true}\n')
    await within(LIMIT_MS, closed)
    assert.equal(received, '')
    await server.close()
  })
}

function listPrograms() {
  // Its output is UTF-16 in Wine.
  return spawnSync('tasklist').stdout.toString('utf8').replaceAll('\0', '')
}

/** Runs one check and records it. */
async function check(label, work) {
  const startedAt = Date.now()
  try {
    await within(LIMIT_MS, work())
    record({ label, ok: true, ms: Date.now() - startedAt })
  } catch (error) {
    record({ label, ok: false, ms: Date.now() - startedAt, reason: String(error?.message ?? error).slice(0, 900) })
  }
}

function record(finding) {
  appendFileSync(findings, `${JSON.stringify(finding)}\n`)
}

/** A server over stdio, after initialize. It answers questions with the first option. */
async function openServer(given, command = launch.command, words = launch.words, cwd = project) {
  const child = spawn(command, words, { cwd, env: given, stdio: ['pipe', 'pipe', 'pipe'] })
  const closed = new Promise((settle) => child.once('close', settle))
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text))
  const waiting = new Map()
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.method === 'elicitation/create') {
      const { properties } = message.params.requestedSchema
      const content = Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, firstChoice(schema)]),
      )
      send({ id: message.id, result: { action: 'accept', content } })
    } else if (message.method === undefined) waiting.get(message.id)?.(message)
  })
  let lastId = 0
  const request = async (method, params) => {
    const id = ++lastId
    const answered = new Promise((settle) => waiting.set(id, settle))
    send({ id, method, params })
    const { result, error } = await within(LIMIT_MS, answered).catch((reason) => {
      throw new Error(`${method}: ${reason.message}; stderr: ${complaints}`)
    })
    if (error) throw new Error(error.message)
    return result
  }
  const clientInfo = { name: 'judge', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo })
  send({ method: 'notifications/initialized' })
  const call = (name, args) => request('tools/call', { name, arguments: args })
  return {
    request,
    call,
    says: async (name, args, expected) => {
      const { content } = await call(name, args)
      assert.match(content.map(({ text = '' }) => text).join('\n'), expected)
    },
    complaints: () => complaints,
    close: () => {
      child.stdin.end()
      return within(LIMIT_MS, closed)
    },
  }
}

function firstChoice({ type, enum: values, oneOf, items }) {
  if (type === 'array') return [firstChoice(items)]
  return values?.[0] ?? oneOf?.[0]?.const ?? (type === 'boolean' ? true : 'This')
}

/** Runs a command of the program and resolves to all that it prints. */
function run(args) {
  return new Promise((resolve, reject) => {
    execFile(
      launch.command,
      [...launch.words, ...args],
      { cwd: project, env, timeout: LIMIT_MS },
      (error, stdout, stderr) => {
        if (error && error.killed) reject(new Error(`${args.join(' ')} did not end: ${stdout} ${stderr}`))
        else resolve(`${stdout}${stderr}`)
      },
    ).stdin.end()
  })
}

async function writeImage(format) {
  const sharp = createRequire(program)('sharp')
  const file = join(project, `picture.${format}`)
  const create = { width: 40, height: 20, channels: 3, background: 'red' }
  if (!existsSync(file)) writeFileSync(file, await sharp({ create }).toFormat(format).toBuffer())
  return file
}

function openSite() {
  const server = createServer(({ url }, response) => {
    const isSearch = url.startsWith('/search')
    response.setHeader('content-type', isSearch ? 'application/json' : 'text/html')
    const results = [{ title: 'Walnut joinery', url: 'https://example.com/joints', content: 'About walnut' }]
    response.end(
      isSearch ? JSON.stringify({ results }) : '<title>A page</title><main><h1>Page</h1><p>Plain words</p></main>',
    )
  })
  return new Promise((settle) => server.listen(0, '127.0.0.1', () => settle(server)))
}

async function eventually(probe, describe = () => '') {
  const endAt = Date.now() + LIMIT_MS
  for (;;) {
    const found = await probe()
    if (found) return found
    if (Date.now() > endAt) throw new Error(`nothing after ${LIMIT_MS} ms: ${describe()}`)
    await new Promise((settle) => setTimeout(settle, 100))
  }
}

function within(limit, promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing after ${limit} ms`)), limit)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
