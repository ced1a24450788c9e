// A server written on the library, over HTTP on a free port, for clients that speak HTTP. Prints its address, and ends
// with the process that started it. With FIXTURE_TOKEN it asks for that token.
import { serveHttp } from '../../dist/library.mjs'
import { pixel } from '../../test/fixture/samples.mjs'
import { tools } from './fixture-tools.mjs'

const names = ['Ada', 'Alan', 'Grace']
const startingWith = (typed) => names.filter((name) => name.startsWith(typed))

const resources = [
  {
    uri: 'note://first',
    name: 'first',
    description: 'A text note.',
    mimeType: 'text/plain',
    read: () => 'words of the first note',
  },
  {
    uri: 'note://pixel',
    name: 'pixel',
    description: 'A note in bytes.',
    mimeType: 'image/png',
    read: () => Buffer.from(pixel, 'base64'),
  },
]

const templates = [
  {
    uriTemplate: 'person://{name}',
    name: 'person',
    description: 'One person by name.',
    mimeType: 'text/plain',
    complete: { name: startingWith },
    read: ({ name }) => (names.includes(name) ? `${name} was here` : undefined),
  },
]

const prompts = [
  {
    name: 'greet',
    description: 'Greets by name.',
    arguments: [
      { name: 'name', description: 'The name', required: true, complete: startingWith },
      { name: 'tone', description: 'How' },
    ],
    get: ({ name, tone = 'plain' }) => [{ role: 'user', content: `Greet ${name} in a ${tone} tone.` }],
  },
  {
    name: 'look',
    description: 'Shows a picture.',
    get: () => [
      { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
      { role: 'assistant', content: 'I see one pixel.' },
    ],
  },
]

const token = process.env.FIXTURE_TOKEN
const { url, close } = await serveHttp({
  name: 'fixture',
  version: '1.0.0',
  instructions: 'For tests only.',
  logging: true,
  // As functions, because a list that cannot change is not announced as one that does.
  tools: () => tools,
  resources: () => resources,
  templates,
  prompts: () => prompts,
  http: { port: 0, host: '127.0.0.1', auth: token ? { token } : 'none' },
})
console.log(`fixture at ${url}`)

const end = () => void close().then(() => process.exit(0))
process.once('SIGTERM', end)
process.stdin.once('end', end).resume()
