// The grammar server. `node server.mjs` serves over stdio, `GRAMMAR_TOKEN=… node server.mjs --http` over HTTP.
import { serve, serveHttp } from '@scorpiox/mcp'
import { conjugate } from './conjugate.mjs'
import { practise } from './practise.mjs'
import { quiz } from './quiz.mjs'
import { recite } from './recite.mjs'
import { sentence } from './sentence.mjs'
import { verbTable } from './verb-table.mjs'

const { GRAMMAR_TOKEN: token = '', PORT: port = '3000' } = process.env

const server = {
  name: 'grammar',
  version: '0.1.0',
  logging: true,
  tools: [conjugate, recite, quiz, sentence],
  resources: [verbTable],
  prompts: [practise],
  http: { port: Number(port), auth: { token } },
}

if (process.argv.includes('--http')) {
  const { url, close } = await serveHttp(server)
  console.log(`The grammar server listens at ${url}`)
  process.once('SIGTERM', () => void close())
} else await serve(server)
