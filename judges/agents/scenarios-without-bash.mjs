// The scenarios for a client in which our Bash is switched off, because its own has the same name and is called instead:
// commands run with BackgroundBash, and ReadBgOutput waits for their end.
import { expectEqual, expectText, textOf } from './expect.mjs'
import { scenarios } from './scenarios.mjs'

const call = (tool, input) => ({ tool, input })

/** Starts a command and waits for its end; the result is the one of ReadBgOutput. */
async function* runCommand(command, { arrives }) {
  const started = yield call('BackgroundBash', { command })
  arrives(started)
  const ended = yield call('ReadBgOutput', { task_id: startedTask(started), wait_for_end: true })
  arrives(ended)
  return ended
}

/** The callback is set while the command runs, so it comes with the result of waiting, however slow the client is. */
async function* waitWithCallback(command, message, { arrives }) {
  const id = startedTask(yield call('BackgroundBash', { command }))
  arrives(yield call('SetCallback', { action: 'set', message, delay_seconds: 1, repeat_count: 1 }))
  const ended = yield call('ReadBgOutput', { task_id: id, wait_for_end: true })
  arrives(ended)
  return ended
}

function startedTask(result) {
  const [, id] = /job (\d+)/i.exec(textOf(result)) ?? []
  return Number(id)
}

const replaced = [
  {
    name: 'success',
    async *run(context) {
      const result = yield* runCommand('echo to stdout; echo to stderr >&2', context)
      expectText(result, ['to stdout\nto stderr\n', /exit code 0/i])
    },
  },
  {
    name: 'failure',
    async *run(context) {
      const result = yield* runCommand('echo the reason >&2; exit 3', context)
      expectText(result, ['the reason\n', /exit code 3/i])
    },
  },
  {
    name: 'long output',
    async *run({ fact, ...context }) {
      const command = 'for n in {1..4000}; do echo "line $n of a long output"; done; echo the end'
      const result = yield* runCommand(command, { ...context, arrives: () => {} })
      fact('longResultBytes', Buffer.byteLength(textOf(result)))
      expectText(result, ['line 4000 of a long output\nthe end\n', /left out/])
      const unchecked = { ...context, arrives: () => {} }
      const wide = yield* runCommand('for n in {1..4000}; do echo "$n 긴 출력의 한 줄입니다"; done; echo 끝', unchecked)
      expectText(wide, ['\n4000 긴 출력의 한 줄입니다\n끝\n', /left out/])
      const short = yield* runCommand('seq 100000; echo the end', unchecked)
      expectText(short, ['\n100000\nthe end\n', /left out/])
    },
  },
  {
    name: 'plan',
    async *run(context) {
      const entered = yield call('PlanMode', { action: 'enter', goal: 'Rename the folder' })
      context.arrives(entered)
      expectText(entered, [/plan mode/i, '.scorpiox/sessions/'])
      const refused = yield* runCommand('touch written-in-plan-mode', context)
      expectText(refused, ['Read-only file system'])
      const left = yield call('PlanMode', { action: 'reset' })
      context.arrives(left)
    },
  },
  {
    name: 'callback',
    async *run(context) {
      const result = yield* waitWithCallback('sleep 2; echo after the wait', 'Look at the build', context)
      expectText(result, ['Look at the build', 'after the wait\n'])
    },
  },
  {
    name: 'callback with a failure',
    async *run(context) {
      const result = yield* waitWithCallback('sleep 2; echo the reason >&2; exit 3', 'Look at the tests', context)
      expectText(result, ['Look at the tests', 'the reason\n', /exit code 3/i])
    },
  },
]

/** A timeout is a parameter of Bash, so that scenario has nothing to replace it. */
export const scenariosWithoutBash = scenarios
  .filter(({ name }) => name !== 'timeout')
  .map((scenario) => replaced.find(({ name }) => name === scenario.name) ?? scenario)
  .concat({
    name: 'Bash of the client',
    async *run({ sent, fact }) {
      const before = JSON.stringify(sent())
      const result = yield call('Bash', { command: 'echo own' })
      expectText(result, ['own'])
      expectEqual(JSON.stringify(sent()), before, 'the last result of our server')
      fact('ownBash', true)
    },
  })

export const httpScenariosWithoutBash = [
  {
    name: 'HTTP with a token',
    async *run(context) {
      const unchecked = { ...context, arrives: () => {} }
      const success = yield* runCommand('echo over HTTP', unchecked)
      expectText(success, ['over HTTP\n', /exit code 0/i])
      const failure = yield* runCommand('echo the reason >&2; exit 3', unchecked)
      expectText(failure, ['the reason\n', /exit code 3/i])
    },
  },
]

export const killScenariosWithoutBash = [
  {
    name: 'kill',
    async *run() {
      yield call('BackgroundBash', { command: 'sleep 3001' })
      yield call('BackgroundBash', { command: 'sleep 3002 & sleep 3003' })
      yield call('ReadBgOutput', { task_id: 2, wait_for_end: true })
    },
  },
]
