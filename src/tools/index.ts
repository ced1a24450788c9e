// All tools and resources of this server, in the order in which clients list them.

import { askUserQuestion } from './ask-user-question.js'
import { backgroundBash } from './background-bash.js'
import { bash } from './bash.js'
import { callbackList } from './callback-resource.js'
import { invokeSkill } from './invoke-skill.js'
import { jobList, jobOutput } from './job-resources.js'
import { killBgTask } from './kill-bg-task.js'
import { listBgTasks } from './list-bg-tasks.js'
import { planMode } from './plan-mode.js'
import { planResource } from './plan-resource.js'
import { readBgOutput } from './read-bg-output.js'
import { readDocs } from './read-docs.js'
import { readImage } from './read-image.js'
import { setCallback } from './set-callback.js'
import { taskManager } from './task-manager.js'
import { taskList } from './task-resources.js'
import { webSearch } from './web-search.js'
import type { Resource, ResourceTemplate } from './resource.js'
import type { Tool } from './tool.js'

export const TOOLS: readonly Tool[] = [
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
export const RESOURCES: readonly Companion<Resource>[] = [
  { of: taskManager, offer: taskList },
  { of: planMode, offer: planResource },
  { of: readBgOutput, offer: jobList },
  { of: setCallback, offer: callbackList },
]

export const TEMPLATES: readonly Companion<ResourceTemplate>[] = [{ of: readBgOutput, offer: jobOutput }]

interface Companion<T> {
  readonly of: Tool
  readonly offer: T
}
