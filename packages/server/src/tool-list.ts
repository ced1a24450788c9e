// All tools and resources of this server, in the order in which clients list them. Most handlers are loaded by their
// first call. Used by create-server.ts, main.ts and the doctor of the app. No I/O.

import type { ResourceDefinition, ResourceTemplateDefinition } from '@scorpiox/mcp/definitions/resource'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { imageView, jobView, planView, questionView, taskView } from './features/apps/index.js'
import { callbackResource, setCallback } from './features/callbacks/index.js'
import { readDocs } from './features/documents/index.js'
import { readImage } from './features/images/index.js'
import { planMode, planResource, planViewData } from './features/plans/index.js'
import { answerInView, askUserQuestion, questionViewData } from './features/questions/index.js'
import { webSearch } from './features/search/index.js'
import {
  backgroundBash,
  bash,
  jobListResource,
  jobOutputTemplate,
  jobViewData,
  killBgTask,
  listBgTasks,
  readBgOutput,
} from './features/shell/index.js'
import { invokeSkill } from './features/skills/index.js'
import { changeTaskInView, taskManager, taskResource, taskViewData } from './features/tasks/index.js'

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
  // For clients with MCP Apps only, as all with the scheme ui:.
  { tool: askUserQuestion, resource: questionView },
  { tool: planMode, resource: planView },
  { tool: planMode, resource: planViewData },
  { tool: readBgOutput, resource: jobView },
  { tool: taskManager, resource: taskView },
  { tool: readImage, resource: imageView },
]

export const RESOURCE_TEMPLATES: readonly ToolResource<ResourceTemplateDefinition>[] = [
  { tool: readBgOutput, resource: jobOutputTemplate },
  { tool: askUserQuestion, resource: questionViewData },
  { tool: readBgOutput, resource: jobViewData },
  { tool: taskManager, resource: taskViewData },
]

/** Tools that only views of MCP Apps call, each offered only if the tool of its view is enabled. */
export const VIEW_TOOLS: readonly ToolResource<ToolDefinition>[] = [
  { tool: askUserQuestion, resource: answerInView },
  { tool: taskManager, resource: changeTaskInView },
]

interface ToolResource<T> {
  readonly tool: ToolDefinition
  readonly resource: T
}
