// The server the conformance suite is run against: everything its scenarios call by name, written on the library.
// Prints its address as the first line and ends on SIGTERM.
import { serveHttp } from '../../dist/library.mjs'
import { askingTools } from './asking.mjs'
import { triggers, visitingPrompts, visitingTools } from './changing.mjs'
import { prompts } from './prompts.mjs'
import { resources, templates } from './resources.mjs'
import { skillFiles, skillResources, skills } from './skills.mjs'
import { ticketTools } from './tickets.mjs'
import { plainTools } from './tools.mjs'

const { url, close } = await serveHttp({
  name: 'conformance',
  title: 'Conformance fixture',
  version: '1.0.0',
  instructions: 'For the conformance suite only.',
  logging: true,
  tools: () => [...plainTools, ...askingTools, ...ticketTools, ...triggers, ...visitingTools()],
  resources: [...resources, ...skillResources],
  templates: [...templates, skillFiles],
  skills,
  prompts: () => [...prompts, ...visitingPrompts()],
  // The suite reads the first page of a list and takes it for the whole.
  pageSize: 100,
  http: { port: 0, host: '127.0.0.1', auth: 'none' },
})
console.log(url)
process.once('SIGTERM', () => void close())
