// Declaration of the InvokeSkill tool: returns the text of a skill with its arguments, or runs a script skill and
// returns its output.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { resultData } from '../../result-data.js'
import { formatNumber } from '../../text/format.js'
import { type CommandResult, formatCommandResult, runCommandForCall, type TimeLimit } from '../shell/index.js'
import { formatSkill, formatSkillHeader } from './format-skill.js'
import type { LoadedSkill, SkillService } from './skill-service.js'

const MAX_ARGUMENT_BYTES = 64 * 1024

type InvokeSkillResult = { readonly name: string } & (
  | { readonly text: string }
  | {
      readonly exitCode: number | null
      readonly task_id?: number
      readonly skill: LoadedSkill
      readonly result: CommandResult
      readonly limit: TimeLimit
    }
)

export const invokeSkill = defineToolWith<{ skills: SkillService }>()({
  name: 'InvokeSkill',
  title: 'Use a skill',
  description: `Invoke a skill by name for reusable workflows
Returns its text for you to follow; a script is run and returns what it prints.`,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  services: ['skills'],
  taskSupport: 'sometimes',

  input: {
    type: 'object',
    properties: {
      skill_name: { type: 'string', description: 'The skill name to invoke' },
      arguments: { type: 'string', description: 'Arguments to pass to the skill' },
    },
    required: ['skill_name'],
  },

  async run({ skill_name: name, arguments: args = '' }, call, { skills }): Promise<InvokeSkillResult> {
    if (args.includes('\0')) throw new Failure('The arguments contain a NUL character: leave it out.')
    if (Buffer.byteLength(args) > MAX_ARGUMENT_BYTES) {
      throw new Failure(
        `The arguments are longer than ${formatNumber(MAX_ARGUMENT_BYTES)} bytes: put them in a file and pass its path.`,
      )
    }
    const skill = await skills.load(name)
    if (!skill.isScript) return { name, text: formatSkill(skill, args) }
    const command = skills.buildCommand(skill, args)
    const shell = await skills.shell()
    const limit = shell.defaultLimit
    const result = await runCommandForCall(shell, { command, limit }, call)
    const { exitCode, ending, jobId } = result
    const backgroundFields = ending === 'backgrounded' && jobId !== undefined ? { task_id: jobId } : {}
    return { name, exitCode, ...backgroundFields, skill, limit, result }
  },

  format(invocation) {
    if ('text' in invocation) return invocation.text
    const { skill, result, limit } = invocation
    return formatCommandResult(result, limit, { heading: `${formatSkillHeader(skill)}\n` })
  },

  meta: resultData('name', 'exitCode', 'task_id'),
})
