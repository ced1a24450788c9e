// A server written on the library, with one tool whose input is written in the schema library named first. The second
// argument is the build of ours to use, the third a form of the schema that cannot describe itself: `older`, `bare`.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const schemas = {
  async zod() {
    const { z } = await import('zod')
    return z.object({
      title: z.string(),
      count: z.int().min(1).max(10).optional(),
      level: z.enum(['low', 'high']),
      place: z.object({ city: z.string() }),
      tags: z.array(z.string()),
      unit: z.string().default('metre'),
    })
  },
  async valibot() {
    const v = await import('valibot')
    const { toStandardJsonSchema } = await import('@valibot/to-json-schema')
    const schema = v.object({
      title: v.string(),
      count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10))),
      level: v.picklist(['low', 'high']),
      place: v.object({ city: v.string() }),
      tags: v.array(v.string()),
      unit: v.optional(v.string(), 'metre'),
    })
    return form === 'bare' ? schema : toStandardJsonSchema(schema)
  },
  async arktype() {
    const { type } = await import('arktype')
    return type({
      title: 'string',
      'count?': '1 <= number.integer <= 10',
      level: "'low' | 'high'",
      place: { city: 'string' },
      tags: 'string[]',
      unit: "string = 'metre'",
    })
  },
}

const [name, built, form] = process.argv.slice(2)
const { defineTool, serve } = await import(pathToFileURL(resolve(built)).href)
const schema = await schemas[name]()

await serve({
  name: 'schema-libraries',
  version: '1.0.0',
  tools: [
    defineTool({
      name: 'measure',
      title: 'Measure',
      description: 'Answers with its input as it received it.',
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      input: form === 'older' ? older(schema) : schema,
      run: (input) => input,
      format: (input) => JSON.stringify(input),
    }),
  ],
})

/** The schema as its library made it before Standard JSON Schema. */
function older({ '~standard': { version, vendor, validate } }) {
  return { '~standard': { version, vendor, validate } }
}
