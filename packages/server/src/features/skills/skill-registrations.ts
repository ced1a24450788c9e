// Registers skills with a server: their list in the description of InvokeSkill, prompts, resources, and skill definitions
// for hosts that support the Skills extension. createDeferredSkills opens the skill index with the first list request, so
// that `initialize` does not wait for it. Used by services.ts of the app. Reads files through the index.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { definePromptWith, type PromptDefinition } from '@scorpiox/mcp/definitions/prompt'
import type { ResourceDefinition, ResourceTemplateDefinition } from '@scorpiox/mcp/definitions/resource'
import type { SkillDefinition } from '@scorpiox/mcp/definitions/skill'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../../config/load-config.js'
import { formatSkill, formatSkillList } from './format-skill.js'
import { invokeSkill } from './invoke-skill-tool.js'
import { openSkillIndex, type SkillIndex } from './skill-index.js'
import { skillFileTemplate, toResourceDefinition, toSkillDefinition } from './skill-resources.js'
import type { SkillService } from './skill-service.js'
import type { Skill } from './skill.js'

export interface SkillRegistrations {
  readonly index: SkillIndex
  readonly templates: readonly ResourceTemplateDefinition[]
  tool(): ToolDefinition
  prompts(): readonly PromptDefinition[]
  resources(): readonly ResourceDefinition[]
  skills(): readonly SkillDefinition[]
}

export function openSkillRegistrations(config: Config, changeEvents: ChangeEvents, log: Log): SkillRegistrations {
  const index = openSkillIndex(config, changeEvents, log)
  return {
    index,
    templates: [skillFileTemplate],
    tool: () => ({
      ...invokeSkill,
      description: `${invokeSkill.description} Available skills:\n${formatSkillList(index.skills)}`,
    }),
    prompts: () => index.skills.map(toPromptDefinition),
    resources: () => index.skills.map(toResourceDefinition),
    skills: () => index.skills.flatMap((skill) => toSkillDefinition(skill) ?? []),
  }
}

const defineSkillPrompt = definePromptWith<{ skills: SkillService }>()

/** Skills as prompts. A script skill is shown as text, not run. */
function toPromptDefinition({ name, description, hint }: Skill): PromptDefinition {
  return defineSkillPrompt({
    name,
    description,
    arguments: [{ name: 'arguments', description: hint ?? 'Arguments to pass to the skill', required: false }],
    services: ['skills'],
    async get({ arguments: args = '' }, _call, { skills }) {
      return [{ role: 'user', content: formatSkill(await skills.load(name), args) }]
    },
  })
}

export interface DeferredSkills {
  open(): SkillRegistrations
  /** Whether a list was requested. */
  isOpen(): boolean
  /** The list members of a server definition. */
  addTo(others: BaseRegistrations): AllRegistrations
}

interface BaseRegistrations {
  readonly tools: readonly ToolDefinition[]
  readonly resources: readonly ResourceDefinition[]
  readonly templates: readonly ResourceTemplateDefinition[]
}

interface AllRegistrations {
  tools(): readonly ToolDefinition[]
  resources(): readonly ResourceDefinition[]
  templates(): readonly ResourceTemplateDefinition[]
  prompts(): readonly PromptDefinition[]
  skills(): readonly SkillDefinition[]
  refreshLists(): Promise<void> | undefined
}

/**
 * Adds skills to a server's tools, resources and prompts. The skill index is opened by the first list request, so that
 * `initialize` does not wait for it.
 */
export function createDeferredSkills(openRegistrations: () => SkillRegistrations): DeferredSkills {
  let registrations: SkillRegistrations | undefined
  const open = (): SkillRegistrations => (registrations ??= openRegistrations())

  return {
    open,
    isOpen: () => registrations !== undefined,
    addTo: ({ tools, resources, templates }) => ({
      tools: () => tools.map((tool) => (registrations && tool.name === 'InvokeSkill' ? registrations.tool() : tool)),
      resources: () => [...resources, ...(registrations?.resources() ?? [])],
      templates: () => [...templates, ...(registrations?.templates ?? [])],
      prompts: () => registrations?.prompts() ?? [],
      skills: () => registrations?.skills() ?? [],
      refreshLists: () => open().index.refresh(),
    }),
  }
}
