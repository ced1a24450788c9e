// Tests of the tools, without a process or a port. Run them with `node --test`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@scorpiox/mcp'
import { conjugate, tenses } from './conjugate.mjs'
import { quiz } from './quiz.mjs'
import { recite } from './recite.mjs'

const server = { name: 'test', version: '1', tools: [conjugate, recite, quiz] }
const eat = { verb: 'eat', tense: 'past simple', person: '3rd singular' }

await test('recite reports progress', async () => {
  const client = await connect(server)
  const call = { name: 'recite', arguments: { verb: 'eat', pause_ms: 0 }, _meta: { progressToken: 1 } }
  await client.request('tools/call', call)
  assert.equal(client.notifications.length, tenses.length)
  await client.close()
})

await test('quiz checks the answer of the user', async () => {
  const answers = { 'elicitation/create': () => ({ action: 'accept', content: { form: 'ate' } }) }
  const client = await connect(server, { answers })
  const { content } = await client.request('tools/call', { name: 'quiz', arguments: eat })
  assert.deepEqual(content, [{ type: 'text', text: 'Correct.' }])
  await client.close()
})
