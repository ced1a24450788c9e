// All tools and resources of this server, in the order in which clients list them.

import { askUserQuestion } from './features/questions/ask-user-question-tool.js'
import { backgroundBash } from './features/shell/background-bash-tool.js'
import { bash } from './features/shell/bash-tool.js'
import { callbackResource } from './features/callbacks/callback-resource.js'
import { invokeSkill } from './features/skills/invoke-skill-tool.js'
import { jobListResource, jobOutputTemplate } from './features/shell/job-resources.js'
import { killBgTask } from './features/shell/kill-bg-task-tool.js'
import { listBgTasks } from './features/shell/list-bg-tasks-tool.js'
import { planMode } from './features/plans/plan-mode-tool.js'
import { planResource } from './features/plans/plan-resource.js'
import { readBgOutput } from './features/shell/read-bg-output-tool.js'
import { readDocs } from './features/documents/read-docs.js'
import { readImage } from './features/images/read-image.js'
import { setCallback } from './features/callbacks/set-callback-tool.js'
import { taskManager } from './features/tasks/task-manager-tool.js'
import { taskResource } from './features/tasks/task-resource.js'
import { webSearch } from './features/search/web-search-tool.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '@scorpiox/mcp/definitions/resource'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'

export const TOOLS: readonly ToolDefinition[] = [
  bash,
  readImage,
  readDocs,
  webSearch,
  taskManager,
  planMode,
  askUserQuestion,
  invokeSkill,
  backgroundBash,
  readBgOutput,
  listBgTasks,
  killBgTask,
  setCallback,
]

/** Each resource is offered only if its tool is enabled. */
export const RESOURCES: readonly ToolResource<ResourceDefinition>[] = [
  { tool: taskManager, resource: taskResource },
  { tool: planMode, resource: planResource },
  { tool: readBgOutput, resource: jobListResource },
  { tool: setCallback, resource: callbackResource },
]

export const RESOURCE_TEMPLATES: readonly ToolResource<ResourceTemplateDefinition>[] = [
  { tool: readBgOutput, resource: jobOutputTemplate },
]

interface ToolResource<T> {
  readonly tool: ToolDefinition
  readonly resource: T
}
