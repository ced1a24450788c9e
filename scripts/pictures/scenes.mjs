// The scenes of the drawings. A scene returns steps, each with lines of a real run.

import { setTimeout as sleep } from 'node:timers/promises'

import { startReplay } from '../../test/search/replay.mjs'
import { watchTerminal } from './watch-terminal.mjs'

export const SCENES = {
  shell,
  port,
  timeout,
  plan,
  question,
  inbox: (home) => inbox(home, ENGLISH),
  'inbox-korean': (home) => inbox(home, KOREAN),
  search,
  doctor,
  fails,
  install,
  callback,
  tasks,
  skills,
  sandbox,
}

async function shell(home) {
  const call = await home.connect()
  const steps = [
    await call('BackgroundBash', { command: 'npm run dev' }),
    await call('ReadBgOutput', { task_id: 1, wait_for_port: 3000 }),
    await call('Bash', { command: 'sleep 777 & echo building; sleep 60', timeout: 1000 }),
    await call('Bash', { command: "pgrep -fa 'sleep 7[7]' || echo no processes left" }),
  ]
  return { title: 'start a server, run a command that times out', steps }
}

async function port(home) {
  const call = await home.connect()
  return {
    title: 'wait for a port',
    steps: [
      await call('BackgroundBash', { command: 'npm run dev' }),
      await call('ReadBgOutput', { task_id: 1, wait_for_port: 3000 }),
    ],
  }
}

async function timeout(home) {
  const call = await home.connect()
  return {
    title: 'a command that times out',
    steps: [
      await call('Bash', { command: 'sleep 777 & (setsid sleep 778 &); echo building; sleep 60', timeout: 1000 }),
      await call('Bash', { command: "pgrep -fa 'sleep 7[7]' || echo no processes left" }),
    ],
  }
}

async function plan(home) {
  const approval = { action: 'accept', content: { decision: 'Approve' } }
  const call = await home.connect({ elicitation: {} }, {}, approval)
  return {
    title: 'plan mode refuses a write',
    steps: [
      await call('PlanMode', { action: 'enter', goal: 'Move sessions to SQLite' }),
      await call('Bash', { command: 'sed -i s/redis/sqlite/ src/session.ts' }),
      await call('PlanMode', { action: 'exit', plan: '# Plan\n- [ ] write the migration\n- [ ] switch the store' }),
    ],
  }
}

async function question(home) {
  const call = await home.connect()
  const questions = { questions: [{ text: 'Which database?', options: ['SQLite', 'PostgreSQL'] }] }
  return {
    title: 'a question in the chat',
    steps: [
      await call('AskUserQuestion', { questions_json: JSON.stringify(questions) }),
      await call('AskUserQuestion', { questions_json: '{"id":1,"answers":["PostgreSQL"]}' }),
    ],
  }
}

/** What the inbox shows in a language: the questions, and texts to wait for. */
const ENGLISH = {
  lang: 'en',
  title: 'a question in the inbox',
  ready: 'Servers and tools',
  asked: '▸ Question · ',
  questions: [
    {
      text: 'Which database should the shop use?',
      header: 'Storage',
      options: [{ label: 'SQLite', description: 'one file, nothing to install' }, 'PostgreSQL'],
    },
  ],
}
const KOREAN = {
  lang: 'ko',
  title: '인박스에 표시된 질문',
  ready: '서버와 도구',
  asked: '▸ 질문 · ',
  questions: [
    {
      text: '쇼핑몰에서 어떤 데이터베이스를 사용할까요?',
      header: '데이터베이스',
      options: [{ label: 'SQLite', description: '파일 하나이며 설치할 것이 없습니다' }, 'PostgreSQL'],
    },
  ],
}

/** The inbox in a pseudo-terminal: opens the only question. */
async function inbox(home, { lang, title, ready, asked, questions }) {
  const call = await home.connect()
  const terminal = await watchTerminal(home, ['inbox', '--quiet', '--lang', lang])
  await terminal.waitForText(ready)
  void call('AskUserQuestion', { questions_json: JSON.stringify({ questions }) })
  await terminal.waitForText(asked)
  terminal.type('1')
  await terminal.waitForText('PostgreSQL')
  const screen = terminal.screen()
  terminal.type('\r')
  await terminal.close()
  return { title, steps: [['$ scorpiox-code inbox', ...screen]] }
}

/** Search engines are simulated: pictures are made without a network. */
async function search(home) {
  const replay = await startReplay()
  const play = 'ok;duckduckgo=challenge-202;mojeek=hang'
  const env = {
    FETCH_ALLOW: `127.0.0.1:${replay.port}`,
    WEBSEARCH_GATEWAY: `http://127.0.0.1:${replay.port}/${play}/{engine}`,
  }
  const call = await home.connect({}, env)
  const lines = await call('WebSearch', { query: 'sqlite wal checkpoint' })
  replay.close()
  const third = lines.findIndex((line) => /^ *3\. /.test(line))
  const tail = lines.findLastIndex((line) => /^ *Engines: /.test(line))
  return {
    title: 'search the web (simulated engines)',
    steps: [[...lines.slice(0, third), '  …', ...lines.slice(tail)]],
  }
}

async function doctor(home) {
  return { title: 'check this machine', steps: [home.type(['doctor'])] }
}

async function fails(home) {
  const call = await home.connect()
  return {
    title: 'error messages',
    steps: [
      await call('Bash', { command: 'cat src/sesion.ts' }),
      await call('ReadDocs', { url: 'http://localhost:3000/' }),
      await call('KillBgTask', { task_id: 12 }),
    ],
  }
}

async function install(home) {
  home.add('.cursor/mcp.json', '{\n  "mcpServers": {\n    "other": { "command": "other" }\n  }\n}\n')
  home.add('.codex/config.toml', 'model = "o9"\n')
  return { title: 'show the changes of install', steps: [home.type(['install', '--dry-run'])] }
}

async function callback(home) {
  const call = await home.connect()
  const steps = [
    await call('BackgroundBash', { command: 'sleep 1; echo 2 failed; exit 3' }),
    await call('SetCallback', { action: 'set', message: 'Find out why the build failed', task_id: 1 }),
  ]
  await sleep(2500)
  steps.push(await call('Bash', { command: 'git status -s | tail -1' }))
  return { title: 'a callback and the next result', steps }
}

/** Two servers, one after the other: the second has the state of the first. */
async function tasks(home) {
  const call = await home.connect()
  const steps = [
    await call('TaskManager', { action: 'create', query: '', text: 'Ship 1.1' }),
    await call('TaskManager', { action: 'add', query: '', text: 'Write the notes' }),
  ]
  const tomorrow = await home.connect()
  steps.push(['# another session, another client', ''], await tomorrow('TaskManager', { action: 'pending', query: '' }))
  return { title: 'tasks in two sessions', steps }
}

async function skills(home) {
  const text =
    '---\nname: cut-release\ndescription: Cut a release: version, changelog, tag.\n---\n\nRelease $ARGUMENTS.\n'
  home.add('shop/.claude/skills/cut-release/SKILL.md', text)
  home.add('shop/.claude/skills/notes/skill.md', text)
  return { title: 'list the skills', steps: [home.type(['skills'])] }
}

async function sandbox(home) {
  home.add('.ssh/id_ed25519', 'a key\n')
  const call = await home.connect({}, { SANDBOX: 'workspace' })
  return {
    title: 'commands in the sandbox (SANDBOX=workspace)',
    steps: [
      await call('Bash', { command: 'cat ~/.ssh/id_ed25519' }),
      await call('Bash', { command: 'echo hello > ~/.bashrc' }),
      await call('Bash', { command: 'echo hello > notes.txt && cat notes.txt' }),
    ],
  }
}
