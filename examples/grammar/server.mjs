// The grammar server with everything: `node server.mjs` speaks over stdio, `GRAMMAR_TOKEN=… node server.mjs --http` over HTTP.
import { serve, serveHttp } from 'scorpiox-code'
import { conjugate } from './conjugate.mjs'
import { practise } from './practise.mjs'
import { recite } from './recite.mjs'
import { sentence } from './sentence.mjs'
import { verbTable } from './verb-table.mjs'

const { GRAMMAR_TOKEN: token = '', PORT: port = '3000' } = process.env

const server = {
  name: 'minimcp-grammar',
  version: '0.1.0',
  tools: [
    { ...conjugate, description: 'Gives one form of an English verb.', hints: { readOnly: true, openWorld: false } },
    recite,
    sentence,
  ],
  resources: [verbTable],
  prompts: [practise],
  http: { port: Number(port), auth: { token } },
}

if (process.argv.includes('--http')) {
  const { url, close } = await serveHttp(server)
  console.log(`The grammar server listens at ${url}`)
  process.once('SIGTERM', () => void close())
} else await serve(server)
