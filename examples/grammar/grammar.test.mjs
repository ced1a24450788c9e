// Tests of the tools, without a process or a port: `node --test`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'scorpiox-code'
import { conjugate, tenses } from './conjugate.mjs'
import { recite } from './recite.mjs'

await test('the past of eat is ate, and reciting tells how far it is', async () => {
  const client = await connect({ name: 'test', version: '1', tools: [conjugate, recite] })
  const eat = { verb: 'eat', tense: 'past simple', person: '3rd singular' }
  const { content } = await client.request('tools/call', { name: 'conjugate', arguments: eat })
  assert.deepEqual(content, [{ type: 'text', text: 'ate' }])
  await client.request('tools/call', { name: 'recite', arguments: { verb: 'eat' }, _meta: { progressToken: 1 } })
  assert.equal(client.notifications.length, tenses.length)
  await client.close()
})
