// The product on one screen: every tool this server has, in the order clients are shown them, and what can be read.

import { backgroundBash } from './background-bash.js'
import { bash } from './bash.js'
import { jobList, jobOutput } from './job-resources.js'
import { killBgTask } from './kill-bg-task.js'
import { listBgTasks } from './list-bg-tasks.js'
import { planMode } from './plan-mode.js'
import { planResource } from './plan-resource.js'
import { readBgOutput } from './read-bg-output.js'
import type { Resource, ResourceTemplate } from './resource.js'
import type { Tool } from './tool.js'

export const TOOLS: readonly Tool[] = [bash, planMode, backgroundBash, readBgOutput, listBgTasks, killBgTask]

export const RESOURCES: readonly Resource[] = [planResource, jobList]

export const TEMPLATES: readonly ResourceTemplate[] = [jobOutput]
