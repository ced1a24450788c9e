// Compiled by the judge in-memory, never run: the types of others on both sides of ours.
import { Client } from '@modelcontextprotocol/client'
import { defineTool, createMemoryTransport } from 'scorpiox-code'
import { Client as Client112 } from 'sdk-1.12.3/client/index.js'
import { Client as Client124 } from 'sdk-1.24.3/client/index.js'
import { z } from 'zod'

const sum = defineTool({
  name: 'sum',
  input: z.object({ first: z.number().default(3), others: z.array(z.number()).optional() }),
  output: z.object({ sum: z.number() }),
  argumentErrors: { first: 'a number, please' },
  run: ({ first, others = [] }) => ({ sum: others.reduce((total, other) => total + other, first) }),
})

const transport = await createMemoryTransport({ name: 'types', version: '1.0.0', tools: [sum] })
const info = { name: 'judge', version: '1.0.0' }
await new Client(info).connect(transport)
await new Client112(info).connect(transport)
await new Client124(info).connect(transport)

// @ts-expect-error -- the sum must be a number
defineTool({ name: 'wrong', output: z.object({ sum: z.number() }), run: () => ({ sum: 'five' }) })
