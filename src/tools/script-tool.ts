// A script as a tool: its arguments arrive as JSON on stdin, what it prints is the answer, and its exit code says whether
// that went well. It runs as a command of Bash does.

import { printJson } from '../lib/json.js'
import { jsonInText } from '../lib/json-in-text.js'
import { quotedWord } from '../lib/shell-word.js'
import type { Script } from '../services/scripts/line-up.js'
import type { Limit, Outcome, Shell } from '../services/shell/shell.js'
import { runAndWait } from './run-and-wait.js'
import { resultData } from './result-data.js'
import { toolsOver, type Tool, type Words } from './tool.js'
import { outcomeWords } from './words/outcome.js'
import { closing } from './words/words.js'

interface Answer {
  readonly words: Words
  readonly exitCode: number | null
  /** What it printed, where the script declares an output and printed one that fits. */
  readonly output: unknown
}

export function scriptTool(script: Script): Tool {
  const { name, title = name, description, hints, input, path, timeoutMs } = script
  return toolsOver<{ shell: Shell }>()({
    name,
    title,
    description,
    hints,
    needs: ['shell'],
    defers: 'sometimes',
    input,
    async run(args, call, { shell }): Promise<Answer> {
      const limit = timeoutMs === undefined ? shell.usualLimit : { ms: timeoutMs, isHard: true }
      // The first line is what a list of background tasks shows of it.
      const command = `# script tool ${name}\nexec ${quotedWord(path)}`
      const stdin = `${printJson(isArguments(args) ? args : {})}\n`
      return answerOf(
        script,
        await runAndWait(shell, { command, limit, input: stdin, isData: script.output !== undefined }, call),
        limit,
      )
    },
    render: ({ words }) => words,
    meta: resultData('exitCode', 'output'),
  })
}

function isArguments(args: unknown): args is object {
  return typeof args === 'object' && args !== null
}

function answerOf({ output, file }: Script, outcome: Outcome, limit: Limit): Answer {
  const atLimit = `Say a longer "timeout" in what ${file} prints for --schema.`
  const words = outcomeWords(outcome, limit, { atLimit })
  const { exitCode } = outcome
  if (!output) return { words, exitCode, output: undefined }
  // Without the declared output it is an error, also where the script goes on in the background.
  if (outcome.ending !== 'exit' || exitCode !== 0) return { words: asError(words), exitCode, output: undefined }
  const data = outcome.truncated ? undefined : jsonInText(outcome.text)
  const problems = data && output.check(data)
  if (data && !problems) return { words, exitCode, output: data }
  const why = problems ? problems.map(({ message }) => message).join('; ') : whyNoData(outcome)
  const note = `${file} promises an output that this is not: ${why}.`
  return { words: { content: closing(outcome.text, [note]), isError: true }, exitCode, output: undefined }
}

function asError(words: Words): Words {
  if (typeof words === 'string' || !('isError' in words)) return { content: words, isError: true }
  return { ...words, isError: true }
}

function whyNoData({ truncated }: Outcome): string {
  return truncated ? 'it is longer than BASH_MAX_OUTPUT' : 'it is no JSON object'
}
