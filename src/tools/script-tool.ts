// A script as a tool: its arguments arrive as JSON on stdin, what it prints is the answer, and its exit code says whether
// that went well. It runs as a command of Bash does.

import { printJson } from '../lib/json.js'
import { jsonInText } from '../lib/json-in-text.js'
import { quotedWord } from '../lib/shell-word.js'
import type { Script } from '../services/scripts/line-up.js'
import type { Limit, Outcome, Shell } from '../services/shell/shell.js'
import { runAndWait } from './run-and-wait.js'
import { toolsOver, type Tool, type Words } from './tool.js'
import { outcomeWords } from './words/outcome.js'
import { closing } from './words/words.js'

/** Not a name that a script could use, nor one that is ever printed. */
const WORDS = Symbol('words')

/** What it printed as data, with the words beside it; or, in a list, which is no data, the words alone. */
type Answer = { readonly [WORDS]: Words } | readonly [Words]

export function scriptTool(script: Script): Tool {
  const { name, title = name, description, hints, input, output, path, timeoutMs } = script
  return toolsOver<{ shell: Shell }>()({
    name,
    title,
    description,
    hints,
    needs: ['shell'],
    defers: 'sometimes',
    input,
    ...(output && { output: output.schema }),
    async run(args, call, { shell }): Promise<Answer> {
      const limit = timeoutMs === undefined ? shell.usualLimit : { ms: timeoutMs, isHard: true }
      // The first line is what a list of background tasks shows of it.
      const command = `# script tool ${name}\nexec ${quotedWord(path)}`
      const stdin = `${printJson(isArguments(args) ? args : {})}\n`
      return answerOf(script, await runAndWait(shell, { command, limit, input: stdin }, call), limit)
    },
    render: (answer) => (WORDS in answer ? answer[WORDS] : answer[0]),
  })
}

function isArguments(args: unknown): args is object {
  return typeof args === 'object' && args !== null
}

function answerOf({ output, file }: Script, outcome: Outcome, limit: Limit): Answer {
  const atLimit = `Say a longer "timeout" in what ${file} prints for --schema.`
  const words = outcomeWords(outcome, limit, { atLimit })
  // Who was promised data takes an answer without it only as an error, also where the script goes on.
  if (outcome.ending !== 'exit' || outcome.exitCode !== 0) return [output ? asError(words) : words]
  if (!output) return [words]
  const data = outcome.truncated ? undefined : jsonInText(outcome.text)
  const problems = data && output.check(data)
  if (data && !problems) return { ...data, [WORDS]: words }
  const why = problems ? problems.map(({ message }) => message).join('; ') : whyNoData(outcome)
  const note = `${file} promises an output that this is not: ${why}.`
  return [{ content: closing(outcome.text, [note]), isError: true }]
}

function asError(words: Words): Words {
  if (typeof words === 'string' || !('isError' in words)) return { content: words, isError: true }
  return { ...words, isError: true }
}

function whyNoData({ truncated }: Outcome): string {
  return truncated ? 'it is longer than BASH_MAX_OUTPUT' : 'it is no JSON object'
}
