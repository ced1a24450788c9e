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
  inbox,
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
    await call('Bash', { command: "pgrep -fa 'sleep 7[7]' || echo nothing is left of it" }),
  ]
  return { title: 'an agent at work', steps }
}

async function port(home) {
  const call = await home.connect()
  return {
    title: 'waiting for a port instead of polling',
    steps: [
      await call('BackgroundBash', { command: 'npm run dev' }),
      await call('ReadBgOutput', { task_id: 1, wait_for_port: 3000 }),
    ],
  }
}

async function timeout(home) {
  const call = await home.connect()
  return {
    title: 'a command that hangs',
    steps: [
      await call('Bash', { command: 'sleep 777 & (setsid sleep 778 &); echo building; sleep 60', timeout: 1000 }),
      await call('Bash', { command: "pgrep -fa 'sleep 7[7]' || echo nothing is left of it" }),
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
    title: 'a question without a channel',
    steps: [
      await call('AskUserQuestion', { questions_json: JSON.stringify(questions) }),
      await call('AskUserQuestion', { questions_json: '{"id":1,"answers":["PostgreSQL"]}' }),
    ],
  }
}

/** The inbox in a pseudo-terminal: opens the only question. */
async function inbox(home) {
  const call = await home.connect()
  const terminal = await watchTerminal(home, ['inbox', '--quiet'])
  await terminal.waitForText('Servers and tools')
  const questions = {
    questions: [
      {
        text: 'Which database should the shop use?',
        header: 'Storage',
        options: [{ label: 'SQLite', description: 'one file, nothing to install' }, 'PostgreSQL'],
      },
    ],
  }
  void call('AskUserQuestion', { questions_json: JSON.stringify(questions) })
  await terminal.waitForText('Question · ')
  terminal.type('\u001B[A')
  terminal.type('\u001B[A')
  await terminal.waitForText('● Question')
  terminal.type('\r')
  await terminal.waitForText('PostgreSQL')
  const screen = terminal.screen()
  terminal.type('\r')
  await terminal.close()
  return { title: 'a question in the inbox', steps: [['$ scorpiox-code inbox', ...screen]] }
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
    title: 'eleven engines, and how each did (played, without a network)',
    steps: [[...lines.slice(0, third), '  …', ...lines.slice(tail)]],
  }
}

async function doctor(home) {
  return { title: 'what works on this machine', steps: [home.type(['doctor'])] }
}

async function fails(home) {
  const call = await home.connect()
  return {
    title: 'failures say what to do next',
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
  return { title: 'what would be written, before it is', steps: [home.type(['install', '--dry-run'])] }
}

async function callback(home) {
  const call = await home.connect()
  const steps = [
    await call('BackgroundBash', { command: 'sleep 1; echo 2 failed; exit 3' }),
    await call('SetCallback', { action: 'set', message: 'Look why the build broke', task_id: 1 }),
  ]
  await sleep(2500)
  steps.push(await call('Bash', { command: 'git status -s | tail -1' }))
  return { title: 'a callback, and the next result of any tool', steps }
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
  return { title: 'tasks outlive the session', steps }
}

async function skills(home) {
  const text =
    '---\nname: cut-release\ndescription: Cut a release: version, changelog, tag.\n---\n\nRelease $ARGUMENTS.\n'
  home.add('shop/.claude/skills/cut-release/SKILL.md', text)
  home.add('shop/.claude/skills/notes/skill.md', text)
  return { title: 'which skills there are, and why one is missing', steps: [home.type(['skills'])] }
}

async function sandbox(home) {
  home.add('.ssh/id_ed25519', 'a key\n')
  const call = await home.connect({}, { SANDBOX: 'workspace' })
  return {
    title: 'SANDBOX=workspace',
    steps: [
      await call('Bash', { command: 'cat ~/.ssh/id_ed25519' }),
      await call('Bash', { command: 'echo hello > ~/.bashrc' }),
      await call('Bash', { command: 'echo hello > notes.txt && cat notes.txt' }),
    ],
  }
}
