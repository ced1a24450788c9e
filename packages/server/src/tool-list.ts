// All tools and resources of this server, in the order in which clients list them. Most handlers are loaded by their
// first call. Used by create-server.ts, main.ts and the doctor of the app. No I/O.

import type { ResourceDefinition, ResourceTemplateDefinition } from '@scorpiox/mcp/definitions/resource'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { callbackResource, setCallback } from './features/callbacks/index.js'
import { readDocs } from './features/documents/index.js'
import { readImage } from './features/images/index.js'
import { planMode, planResource } from './features/plans/index.js'
import { askUserQuestion } from './features/questions/index.js'
import { webSearch } from './features/search/index.js'
import {
  backgroundBash,
  bash,
  jobListResource,
  jobOutputTemplate,
  killBgTask,
  listBgTasks,
  readBgOutput,
} from './features/shell/index.js'
import { invokeSkill } from './features/skills/index.js'
import { taskManager, taskResource } from './features/tasks/index.js'

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
