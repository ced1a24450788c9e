// Declaration of the InvokeSkill tool: returns the text of a skill with its arguments, or runs a script skill and
// returns its output.

import { Failure } from '../lib/failure.js'
import type { Limit, Outcome } from '../services/shell/shell.js'
import type { OpenSkill, Skills } from '../services/skills/skills.js'
import { runAndWait } from './run-and-wait.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import { outcomeWords } from './words/outcome.js'
import { skillHeader, skillText } from './words/skill.js'
import { count } from './words/words.js'

const MAX_ARGUMENT_BYTES = 64 * 1024

type Invoked = { readonly name: string } & (
  | { readonly text: string }
  | {
      readonly exitCode: number | null
      readonly task_id?: number
      readonly skill: OpenSkill
      readonly outcome: Outcome
      readonly limit: Limit
    }
)

export const invokeSkill = toolsOver<{ skills: Skills }>()({
  name: 'InvokeSkill',
  title: 'Use a skill',
  description: `Invoke a skill by name for reusable workflows
Returns its text for you to follow; a script is run and returns what it prints.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  needs: ['skills'],
  defers: 'sometimes',

  input: {
    type: 'object',
    properties: {
      skill_name: { type: 'string', description: 'The skill name to invoke' },
      arguments: { type: 'string', description: 'Arguments to pass to the skill' },
    },
    required: ['skill_name'],
  },

  async run({ skill_name: name, arguments: args = '' }, call, { skills }): Promise<Invoked> {
    if (args.includes('\0')) throw new Failure('The arguments contain a NUL character: leave it out.')
    if (Buffer.byteLength(args) > MAX_ARGUMENT_BYTES) {
      throw new Failure(
        `The arguments are longer than ${count(MAX_ARGUMENT_BYTES)} bytes: put them in a file and pass its path.`,
      )
    }
    const skill = await skills.open(name)
    if (!skill.isScript) return { name, text: skillText(skill, args) }
    const command = skills.command(skill, args)
    const shell = await skills.shell()
    const limit = shell.usualLimit
    const result = await runAndWait(shell, { command, limit }, call)
    const { exitCode, ending, jobId } = result
    const backgroundFields = ending === 'backgrounded' && jobId !== undefined ? { task_id: jobId } : {}
    return { name, exitCode, ...backgroundFields, skill, limit, outcome: result }
  },

  render(invocation) {
    if ('text' in invocation) return invocation.text
    const { skill, outcome: result, limit } = invocation
    return outcomeWords(result, limit, { heading: `${skillHeader(skill)}\n` })
  },

  meta: resultData('name', 'exitCode', 'task_id'),
})
