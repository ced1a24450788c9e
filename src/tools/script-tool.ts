// A script as a tool: arguments are passed as JSON on stdin, its output is the result, and a non-zero exit code is an
// error. It runs like a Bash command.

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
  /** Its output as JSON, if the script declares an output schema and the output matches it. */
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
      const limit: Limit = timeoutMs === undefined ? shell.usualLimit : { ms: timeoutMs, isHard: true }
      // The first line is shown in the list of background tasks.
      const command = `# script tool ${name}\nexec ${quotedWord(path)}`
      const stdin = `${printJson(isArguments(args) ? args : {})}\n`
      return answerOf(
        script,
        await runAndWait(shell, { command, limit, input: stdin, isData: script.output !== undefined }, call),
        limit,
      )
    },
    render: ({ words: text }) => text,
    meta: resultData('exitCode', 'output'),
  })
}

function isArguments(args: unknown): args is object {
  return typeof args === 'object' && args !== null
}

function answerOf({ output, file }: Script, result: Outcome, limit: Limit): Answer {
  const timeoutHint = `Set a longer "timeout" in the output of ${file} --schema.`
  const text = outcomeWords(result, limit, { atLimit: timeoutHint })
  const { exitCode } = result
  if (!output) return { words: text, exitCode, output: undefined }
  // Without the declared output it is an error, also if the script continues in the background.
  if (result.ending !== 'exit' || exitCode !== 0) return { words: asError(text), exitCode, output: undefined }
  const data = result.truncated ? undefined : jsonInText(result.text)
  const problems = data && output.check(data)
  if (data && !problems) return { words: text, exitCode, output: data }
  const why = problems ? problems.map(({ message }) => message).join('; ') : whyNoData(result)
  const note = `The output does not match the output schema of ${file}: ${why}.`
  return { words: { content: closing(result.text, [note]), isError: true }, exitCode, output: undefined }
}

function asError(text: Words): Words {
  if (typeof text === 'string' || !('isError' in text)) return { content: text, isError: true }
  return { ...text, isError: true }
}

function whyNoData({ truncated }: Outcome): string {
  return truncated ? 'it is longer than BASH_MAX_OUTPUT' : 'it is not a JSON object'
}
