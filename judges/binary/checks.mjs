// What the executable owes its clients, as `[label, check]` in the order they run: every tool, what is remembered over a
// kill, the sandbox, the commands of a terminal, HTTP with its page.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { httpClients, openHttpSession } from '../http-clients/session.mjs'
import { within } from '../shared/report.mjs'
import { halvesOf } from './environment.mjs'

const TOOLS =
  'AskUserQuestion BackgroundBash Bash InvokeSkill KillBgTask ListBgTasks PlanMode ReadBgOutput ReadDocs ReadImage SetCallback TaskManager WebSearch'

export function toolChecks(session, { site, images, hasBrowser }, project) {
  const answers = (name, args, expected) => async () => assert.match(await answer(session, name, args), expected)
  const refuses = (name, args, expected) => async () => {
    const { isError, content } = await session.callTool(name, args)
    assert.ok(isError, 'it was not refused')
    assert.match(content[0].text, expected)
  }
  return [
    [
      'thirteen tools',
      async () => {
        const { tools } = await session.listTools()
        assert.equal(
          tools
            .map(({ name }) => name)
            .toSorted()
            .join(' '),
          TOOLS,
        )
      },
    ],
    [
      'Bash',
      answers('Bash', { command: 'echo "[$PLANTED$(command -v node bun)]"; echo two words' }, /^\[\]\ntwo words/),
    ],
    ['BackgroundBash', answers('BackgroundBash', { command: 'echo begun; exec sleep 100' }, /1/)],
    ['ReadBgOutput', answers('ReadBgOutput', { task_id: 1, wait_for_pattern: 'begun' }, /begun/)],
    ['ListBgTasks', answers('ListBgTasks', {}, /sleep 100/)],
    ['KillBgTask', answers('KillBgTask', { task_id: 1 }, /1/)],
    ...terminalChecks(answers),
    [
      'Bash, a long output',
      answers('Bash', { command: 'for ((i = 0; i < 20000; i++)); do echo line $i; done' }, /line 19999/),
    ],
    ['ReadDocs', answers('ReadDocs', { url: `${site}/page` }, /Plain words/)],
    ['ReadDocs, a PDF', answers('ReadDocs', { url: `${site}/paper.pdf` }, /Printed words/)],
    ...(hasBrowser
      ? [['ReadDocs, a script', answers('ReadDocs', { url: `${site}/scripted` }, /Made by a script/)]]
      : []),
    ['ReadDocs, past the guard', refuses('ReadDocs', { url: 'http://127.0.0.1:8099/' }, /FETCH_ALLOW/)],
    ['WebSearch', answers('WebSearch', { query: 'walnut joinery' }, /walnut/i)],
    ['TaskManager create', answers('TaskManager', { action: 'create', query: '', text: 'Kept' }, /task 1 "Kept"/)],
    ['TaskManager add', answers('TaskManager', { action: 'add', query: '', text: 'A step' }, /step 1 "A step"/)],
    ['InvokeSkill', answers('InvokeSkill', { skill_name: 'create-skill' }, /create-skill/)],
    ['SetCallback', answers('SetCallback', { action: 'set', message: 'look again', delay_seconds: 3600 }, /3600|hour/)],
    ['AskUserQuestion', answers('AskUserQuestion', { questions_json: JSON.stringify([QUESTION]) }, /Which one/)],
    ['PlanMode enter', answers('PlanMode', { action: 'enter', goal: 'Outlive it' }, /plan/i)],
    [
      'PlanMode holds',
      async () => {
        await session.callTool('Bash', { command: 'echo planted > planted.txt' })
        assert.ok(!existsSync(join(project, 'planted.txt')), 'a command wrote while planning')
      },
    ],
    ...(images ? imageChecks(session, images, refuses) : []),
    [
      'nothing of the project is obeyed',
      async () =>
        assert.deepEqual(
          readdirSync(project).filter((name) => name.startsWith('obeyed')),
          [],
        ),
    ],
  ]
}

const QUESTION = { question: 'Which one?', header: 'Choice', options: [{ label: 'This' }, { label: 'That' }] }

function imageChecks(session, images, refuses) {
  const shows = (path, args, expected) => async () => {
    const { isError, content } = await session.callTool('ReadImage', { file_path: path, ...args })
    assert.ok(!isError, content[0].text)
    const { width, height, left, right } = await halvesOf(content.find(({ type }) => type === 'image').data)
    assert.deepEqual([width, height], expected.size)
    assert.ok(left[expected.left] > 200 && right[expected.right] > 200, `${left.join()} and ${right.join()}`)
  }
  const RED = 0
  const BLUE = 2
  const whole = { size: [400, 200], left: RED, right: BLUE }
  return [
    ...['png', 'jpeg', 'webp', 'gif'].map((kind) => [`ReadImage, ${kind}`, shows(images[kind], {}, whole)]),
    [
      'ReadImage, a part',
      shows(images.png, { crop: [100, 0, 200, 100] }, { size: [800, 400], left: RED, right: BLUE }),
    ],
    [
      'ReadImage, turned',
      shows(images.turned, { crop: [0, 0, 200, 200] }, { size: [800, 800], left: RED, right: RED }),
    ],
    ['ReadImage, too large', refuses('ReadImage', { file_path: images.large }, /9000 x 9000 pixels, more than the 64/)],
    ['ReadImage, cut short', refuses('ReadImage', { file_path: images.cut }, /damaged or truncated/)],
    ...['avif', 'tiff'].map((kind) => [
      `ReadImage, ${kind}`,
      refuses('ReadImage', { file_path: images[kind] }, /npx scorpiox-code/),
    ]),
  ]
}

export function restartedChecks(session) {
  const answers = (name, args, expected) => async () => assert.match(await answer(session, name, args), expected)
  return [
    ['TaskManager', answers('TaskManager', { action: 'pending', query: '' }, /\* 1 {2}Kept[^]*1 {2}A step/)],
    ['PlanMode', answers('PlanMode', { action: 'status' }, /Outlive it/)],
    ['PlanMode reset', answers('PlanMode', { action: 'reset' }, /reset/i)],
    ['clean close', async () => assert.equal((await session.close()).code, 0)],
  ]
}

export function sandboxChecks(session, _, project) {
  const runs = async (command) => textOf(await session.callTool('Bash', { command }))
  return [
    [
      'the project can be written to',
      async () => {
        await runs('echo mine > mine.txt')
        assert.ok(existsSync(join(project, 'mine.txt')))
      },
    ],
    [
      'nothing else',
      async () => assert.match(await runs('touch /usr/.judged && rm /usr/.judged'), /Read-only file system/),
    ],
    [
      'no secret',
      async () => {
        const folder = join(dirname(project), '.ssh')
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, 'id_judge'), 'a private key')
        const output = await runs(`cat '${folder}/id_judge'; echo looked`)
        assert.match(output, /looked/)
        assert.doesNotMatch(output, /a private key/)
      },
    ],
    [
      'no open file of the server',
      async () => assert.match(await runs('echo /proc/self/fd/*'), /fd\/0 \S*fd\/1 \S*fd\/2/),
    ],
    ['a filter of system calls', async () => assert.match(await runs('echo "$(< /proc/self/status)"'), /Seccomp:\t2/)],
  ]
}

export function commandChecks({ program, env, home }) {
  const run = (...args) => runWith(env, ...args)
  const runWith = async (given, ...args) => {
    const { HOME, project } = home()
    const options = { cwd: project, env: { ...given, HOME }, timeout: 20_000 }
    return promisify(execFile)(program, args, options).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
  }
  return [
    ['doctor', async () => assert.match(await run('doctor'), /✓ runtime: Bun .*executable[^]*○ images:/)],
    [
      'no browser of the project',
      async () =>
        assert.doesNotMatch(await runWith({ ...env, BROWSER_PATH: '' }, 'doctor'), /Chromium that npm brought/),
    ],
    ['call', async () => assert.match(await run('call', 'Bash', '{"command":"echo said"}'), /^said/)],
    ['token', async () => assert.match(await run('token', 'create', '--name', 'judge'), /^sxc_[^]*Token judge/)],
    ['inbox', async () => assert.deepEqual(JSON.parse(await run('inbox', '--json')).questions, [])],
    ['config', async () => assert.match(await run('config'), /SANDBOX/)],
  ]
}

export function httpChecks({ program, env, home }) {
  const token = 'a-token-for-the-judge'
  let server
  let url
  return [
    [
      'starts',
      async () => {
        const { HOME, project } = home()
        const args = ['serve', '--http', '--port', '0']
        server = spawn(program, args, { cwd: project, env: { ...env, HOME, HTTP_TOKEN: token } })
        url = await within(10_000, addressIn(server.stdout))
      },
    ],
    ...['http', 'sse', 'websocket'].map((over) => [
      `a client calls in the sandbox, over ${over}`,
      async () => {
        const newest = httpClients.findLast((client) => client.over === over)
        const session = await openHttpSession(newest, { url, token })
        await session.connect()
        const command = 'touch /usr/.judged && rm /usr/.judged; echo done'
        assert.match(textOf(await session.callTool('Bash', { command })), /Read-only file system[^]*done/)
        await session.peer.close()
      },
    ]),
    [
      'the page',
      async () => {
        const page = await (await fetch(new URL('/', url))).text()
        const [, script] = /<script[^>]*src="([^"]+)"/.exec(page) ?? []
        const code = await fetch(new URL(script ?? '/none', url))
        assert.equal(code.status, 200)
        assert.match(code.headers.get('content-type'), /javascript/)
        assert.ok((await code.text()).length > 10_000)
      },
    ],
    [
      'ends',
      async () => {
        const ended = new Promise((settle) => server.once('exit', settle))
        server.kill('SIGTERM')
        try {
          await within(8000, ended)
        } finally {
          server.kill('SIGKILL')
        }
      },
    ],
  ]
}

/** Skipped without the programs that make a terminal. */
function terminalChecks(answers) {
  if (!['/usr/bin/script', '/bin/script'].some((path) => existsSync(path))) return []
  const command = 'read -p "Name? " n; stty size; echo "hello $n"'
  return [
    ['BackgroundBash on a terminal', answers('BackgroundBash', { command, tty: true, cols: 90 }, /job 2/)],
    ['its prompt', answers('ReadBgOutput', { task_id: 2, wait_ms: 60_000 }, /^Name\? \n\[Waiting for input/)],
    [
      'typing into it',
      answers('ReadBgOutput', { task_id: 2, input: 'Ada\n', wait_for_end: true }, /^Ada\n24 90\nhello Ada\n/),
    ],
  ]
}

async function answer(session, name, args) {
  const result = await session.callTool(name, args)
  assert.ok(!result.isError, textOf(result))
  return textOf(result)
}

function textOf({ content }) {
  return content.map(({ text = '' }) => text).join('\n')
}

function addressIn(stdout) {
  return new Promise((settle) => {
    let text = ''
    stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text) ?? []
      if (found) settle(found)
    })
  })
}
