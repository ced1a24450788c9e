// The InvokeSkill tool: returns the text of a skill with its arguments, or runs a script skill with the shell service and
// returns its output. Registered in tool-list.ts; skill-registrations adds the list of skills to its description.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { formatNumber } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { type CommandResult, formatCommandResult, type TimeLimit } from '../shell/index.js'
import { formatSkill, formatSkillHeader } from './format-skill.js'
import type { LoadedSkill, SkillService } from './skill-service.js'

const MAX_ARGUMENT_BYTES = 64 * 1024

interface InvokeSkillResult {
  readonly skill: LoadedSkill
  readonly args: string
  /** Of a script skill. */
  readonly run?: { readonly result: CommandResult; readonly limit: TimeLimit }
}

export const invokeSkill = defineToolWith<{ skills: SkillService }>()({
  name: 'InvokeSkill',
  title: 'Use a skill',
  description: `Invoke a skill by name for reusable workflows
Returns instructions to follow, or its script's output.`,
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
    if (!skill.isScript) return { skill, args }
    const command = skills.buildCommand(skill, args)
    const shell = await skills.shell()
    const limit = shell.defaultLimit
    return { skill, args, run: { result: await shell.run(command, { call, limit }), limit } }
  },

  format({ skill, args, run }) {
    if (!run) return formatSkill(skill, args)
    return formatCommandResult(run.result, run.limit, { heading: `${formatSkillHeader(skill)}\n` })
  },

  meta({ skill: { name }, run }) {
    if (!run) return toResultMeta({ name })
    const { exitCode, ending, jobId } = run.result
    return toResultMeta({ name, exitCode, task_id: ending === 'backgrounded' ? jobId : undefined })
  },
})
