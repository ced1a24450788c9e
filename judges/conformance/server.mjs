// The server that the conformance suite tests: the tools, resources and prompts that its scenarios call by name, on the
// library. Prints its address as the first line and exits on SIGTERM.
import { serveHttp } from '../../dist/library.mjs'
import { askingTools } from './asking.mjs'
import { triggers, temporaryPrompts, temporaryTools } from './changing.mjs'
import { prompts } from './prompts.mjs'
import { resources, templates } from './resources.mjs'
import { skillFiles, skillResources, skills } from './skills.mjs'
import { taskTools } from './task-handles.mjs'
import { plainTools } from './tools.mjs'

const { url, close } = await serveHttp({
  name: 'conformance',
  title: 'Conformance fixture',
  version: '1.0.0',
  instructions: 'For the conformance suite only.',
  logging: true,
  tools: () => [...plainTools, ...askingTools, ...taskTools, ...triggers, ...temporaryTools()],
  resources: [...resources, ...skillResources],
  templates: [...templates, skillFiles],
  skills,
  prompts: () => [...prompts, ...temporaryPrompts()],
  // The suite reads only the first page of a list.
  pageSize: 100,
  http: { port: 0, host: '127.0.0.1', auth: 'none' },
})
console.log(url)
process.once('SIGTERM', () => void close())
