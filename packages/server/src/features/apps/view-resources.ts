// The views of MCP Apps as resources: HTML that a client shows in the chat for a call of a tool. The tools name them, and the
// features have the data that the views read. Registered in tool-list.ts. Reads the files that scripts/build.mjs has built.

import { APP_MIME_TYPE } from '@scorpiox/mcp/definitions/app-view'
import { defineResourceWith } from '@scorpiox/mcp/definitions/resource'
import type { ViewFiles } from './view-files.js'

/** `name` is the end of the URI and the name of the file. */
function defineView(name: string, description: string, prefersBorder: boolean) {
  return defineResourceWith<{ views: ViewFiles }>()({
    uri: `ui://scorpiox-code/${name}`,
    name: `${name} view`,
    description,
    mimeType: APP_MIME_TYPE,
    // Everything is in the file: no other origin is used.
    ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder },
    services: ['views'],
    read: (_call, { views }) => views.read(name),
  })
}

export const questionView = defineView('question', 'The form of AskUserQuestion.', true)
export const planView = defineView('plan', 'The plan of PlanMode and what changed in it.', true)
export const jobView = defineView('job', 'A job with its output, which is updated while it runs.', false)
export const taskView = defineView('tasks', 'The tasks of TaskManager as a board.', true)
export const imageView = defineView('image', 'The image of ReadImage, to zoom into.', false)
