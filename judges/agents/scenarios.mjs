// What the scripted model does in one session, and what has to arrive. Each scenario yields tool calls and receives the
// results as the client passed them on; `arrives` compares a result byte for byte with what the server sent.
import { expectEqual, expectText, textOf } from './expect.mjs'

const call = (tool, input) => ({ tool, input })

export const scenarios = [
  {
    name: 'success',
    async *run({ arrives }) {
      const result = yield call('Bash', { command: 'echo to stdout; echo to stderr >&2' })
      arrives(result)
      expectEqual(textOf(result), 'to stdout\nto stderr\n', 'the output')
    },
  },
  {
    name: 'failure',
    async *run({ arrives }) {
      const result = yield call('Bash', { command: 'echo the reason >&2; exit 3' })
      arrives(result)
      expectText(result, ['the reason\n', /exit code 3/i])
    },
  },
  {
    name: 'timeout',
    async *run({ arrives }) {
      const result = yield call('Bash', { command: 'echo before; sleep 300', timeout: 700 })
      arrives(result)
      expectText(result, ['before\n', /timed out after 700 ms/i])
    },
  },
  {
    name: 'long output',
    async *run({ fact }) {
      const result = yield call('Bash', {
        command: 'for n in {1..4000}; do echo "line $n of a long output"; done; echo the end',
      })
      const text = textOf(result)
      fact('longResultBytes', Buffer.byteLength(text))
      expectText(result, ['line 3999 of a long output\nline 4000 of a long output\nthe end\n', /ReadBgOutput\(/])
      // Clients count characters, bytes or lines.
      const wide = yield call('Bash', {
        command: 'for n in {1..4000}; do echo "$n 긴 출력의 한 줄입니다"; done; echo 끝',
      })
      expectText(wide, ['1 긴 출력의 한 줄입니다\n', '\n4000 긴 출력의 한 줄입니다\n끝\n', /ReadBgOutput\(/])
      const short = yield call('Bash', { command: 'seq 100000; echo the end' })
      expectText(short, ['1\n2\n', '\n100000\nthe end\n', /ReadBgOutput\(/])
    },
  },
  {
    name: 'job',
    async *run({ arrives, sent }) {
      const started = yield call('BackgroundBash', { command: 'echo started; sleep 0.3; echo finished; exit 4' })
      arrives(started)
      const [, id] = /job (\d+)/i.exec(sent().content[0].text) ?? []
      expectText(started, [`job ${id}`])
      const ended = yield call('ReadBgOutput', { task_id: Number(id), wait_for_end: true })
      arrives(ended)
      expectText(ended, ['started\nfinished\n', /exit code 4/i])
    },
  },
  {
    name: 'image',
    async *run({ arrives, workspace, images, sent, fact }) {
      const result = yield call('ReadImage', { file_path: workspace.image })
      const { data } = sent().content.find(({ type }) => type === 'image')
      const came = result.blocks.filter(({ type }) => type === 'image').map((block) => block.data)
      fact('images', came.length > 0)
      expectEqual(came, images ? [data] : [], 'the images at the model')
      if (images) arrives(result)
    },
  },
  {
    name: 'skill',
    async *run({ arrives }) {
      const result = yield call('InvokeSkill', { skill_name: 'judge-skill', arguments: 'seven' })
      arrives(result)
      expectText(result, ['Count to seven, then stop.\n'])
    },
  },
  {
    name: 'plan',
    async *run({ arrives }) {
      const entered = yield call('PlanMode', { action: 'enter', goal: 'Rename the folder' })
      arrives(entered)
      expectText(entered, [/plan mode/i, '.scorpiox/sessions/'])
      const refused = yield call('Bash', { command: 'touch written-in-plan-mode' })
      arrives(refused)
      expectText(refused, ['Read-only file system', /plan mode is on/i])
      const left = yield call('PlanMode', { action: 'reset' })
      arrives(left)
      expectText(left, [/plan/i])
    },
  },
  {
    name: 'question',
    async *run({ arrives }) {
      const questions = [{ text: 'Which colour?', options: ['Red', 'Blue'] }]
      const asked = yield call('AskUserQuestion', { questions_json: JSON.stringify({ questions }) })
      arrives(asked)
      expectText(asked, ['NOT ANSWERED', 'Which colour?', 'Red', 'Blue'])
      const [, id] = /"id":(\d+)/.exec(textOf(asked)) ?? []
      const answered = yield call('AskUserQuestion', {
        questions_json: JSON.stringify({ id: Number(id), answers: ['Blue'] }),
      })
      arrives(answered)
      expectText(answered, ['Blue'])
    },
  },
  {
    name: 'callback',
    async *run({ arrives }) {
      const set = yield call('SetCallback', {
        action: 'set',
        message: 'Look at the build',
        delay_seconds: 1,
        repeat_count: 1,
      })
      arrives(set)
      // Falls due while the command runs, so it comes with the result of that command.
      const result = yield call('Bash', { command: 'sleep 1.5; echo after the wait' })
      arrives(result)
      expectText(result, ['Look at the build', 'after the wait\n'])
    },
  },
  {
    name: 'callback with a failure',
    async *run({ arrives }) {
      yield call('SetCallback', { action: 'set', message: 'Look at the tests', delay_seconds: 1, repeat_count: 1 })
      const result = yield call('Bash', { command: 'sleep 1.5; echo the reason >&2; exit 3' })
      expectText(result, ['Look at the tests', 'the reason\n', /exit code 3/i])
      arrives(result)
    },
  },
]

/** Over HTTP the client is the same and the way is new: a success and a failure are enough. */
export const httpScenarios = [
  {
    name: 'HTTP with a token',
    async *run() {
      const success = yield call('Bash', { command: 'echo over HTTP' })
      expectEqual(textOf(success), 'over HTTP\n', 'the output')
      const failure = yield call('Bash', { command: 'echo the reason >&2; exit 3' })
      expectText(failure, ['the reason\n', /exit code 3/i])
    },
  },
]
