// Judge: a tool whose input is declared with a popular schema library, driven by the newest client in both protocol eras. A
// schema that cannot be converted to JSON Schema must be rejected at start. LIBRARY_MODULE selects another build.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { farewell, handshake, listedTool, refusesArguments, textOf } from './shared/checks.mjs'
import { conductOne } from './shared/conduct.mjs'
import { openReport } from './shared/report.mjs'
import { periodClients } from './shared/session.mjs'

const here = import.meta.dirname
const file = join(here, 'schema-libraries/server.mjs')
const built = resolve(process.env.LIBRARY_MODULE ?? join(here, '../dist/library.mjs'))
const libraries = ['zod', 'valibot', 'arktype']
const refused = [...libraries.map((library) => [library, 'older']), ['valibot', 'bare']]
const clients = periodClients.filter(({ mode }) => mode && mode !== 'auto')

const least = { title: 'Bridge', level: 'low', place: { city: 'Oslo' }, tags: ['a', 'b'] }
const full = { ...least, count: 10, unit: 'foot' }
const { title: _, ...untitled } = least
const bad = [
  { what: 'a string of the wrong type', args: { ...least, title: 7 }, naming: /\btitle\b/ },
  { what: 'a missing string', args: untitled, naming: /\btitle\b/ },
  { what: 'nothing at all', args: {}, naming: /\btitle\b/ },
  { what: 'an integer above its range', args: { ...least, count: 11 }, naming: /\bcount\b/ },
  { what: 'an integer below its range', args: { ...least, count: 0 }, naming: /\bcount\b/ },
  { what: 'a fraction for an integer', args: { ...least, count: 1.5 }, naming: /\bcount\b/ },
  { what: 'a word outside the enum', args: { ...least, level: 'middle' }, naming: /\blevel\b/ },
  { what: 'a nested member missing', args: { ...least, place: {} }, naming: /\bplace\.city\b/ },
  { what: 'an item of the wrong type', args: { ...least, tags: ['a', 7] }, naming: /\btags\b/ },
  { what: 'a wrong type where there is a default', args: { ...least, unit: 7 }, naming: /\bunit\b/ },
]

const report = openReport('schema-libraries')
for (const library of libraries) {
  for (const client of clients) {
    const label = `${library} | ${client.label}`
    const target = { command: process.execPath, args: [file, library, built] }
    const lists = []
    for (const checks of [toolChecks, secondStart]) {
      await conductOne(report, label, client, target, (session) => checks(session, lists))
    }
  }
}
for (const [library, form] of refused) {
  await report.check(
    `${library} | ${form}: refused at start`,
    async () => checkRefusal(library, form),
    () => [],
  )
}
report.finish()

/** @param lists stores the tool list as sent, to compare it with that of another start */
function toolChecks(session, lists) {
  return [
    ['listTools', () => list(session, lists)],
    ...handshake(session, { name: 'schema-libraries', version: '1.0.0' }),
    ['schema', () => checkSchema(listedTool(session.wire, 'measure').inputSchema)],
    ['schema read by another validator', () => checkVerdicts(listedTool(session.wire, 'measure').inputSchema)],
    ['call, default applied', () => receives(session, least, { ...least, unit: 'metre' })],
    ['call, everything given', () => receives(session, full, full)],
    ...bad.map(({ what, args, naming }) => [what, () => refusesArguments(session, 'measure', args, naming)]),
    ...farewell(session),
  ]
}

function secondStart(session, lists) {
  return [
    [
      'the same list at a second start',
      async () => {
        await list(session, lists)
        assert.equal(lists.length, 2)
        assert.equal(lists[1], lists[0])
      },
    ],
    ...farewell(session),
  ]
}

async function list(session, lists) {
  const { tools } = await session.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['measure'],
  )
  lists.push(session.wire.findLast(({ to, line }) => to === 'client' && line.includes('"tools":[')).line)
}

/** The common part of the schemas of all libraries; they differ in order and additions. */
function checkSchema({ type, properties, required }) {
  assert.equal(type, 'object')
  assert.deepEqual(Object.keys(properties).toSorted(), ['count', 'level', 'place', 'tags', 'title', 'unit'])
  assert.deepEqual(required.toSorted(), ['level', 'place', 'tags', 'title'])
  const { title, count, level, place, tags, unit } = properties
  assert.equal(title.type, 'string')
  assert.deepEqual([count.type, count.minimum, count.maximum], ['integer', 1, 10])
  assert.deepEqual(level.enum.toSorted(), ['high', 'low'])
  assert.deepEqual([place.type, place.properties.city.type, place.required], ['object', 'string', ['city']])
  assert.deepEqual([tags.type, tags.items.type], ['array', 'string'])
  assert.equal(unit.type, 'string')
  // Arktype omits the default from its schema.
  assert.ok([undefined, 'metre'].includes(unit.default), `default ${unit.default}`)
}

/** Validation by the listed schema must agree with the library. */
function checkVerdicts(schema) {
  const accepts = new Ajv2020().compile(schema)
  assert.ok(accepts(least) && accepts(full), 'refuses a good call')
  for (const { what, args } of bad) assert.ok(!accepts(args), `accepts ${what}`)
}

async function receives(session, args, expected) {
  const result = await session.callTool('measure', args)
  assert.ok(!result.isError, `isError is set: ${textOf(result)}`)
  assert.deepEqual(JSON.parse(textOf(result)), expected)
}

function checkRefusal(library, form) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, library, built, form], {
    encoding: 'utf8',
    input: '',
    timeout: 10_000,
  })
  const sentence =
    `the input of tool measure (${library}) cannot describe itself as JSON Schema: ` +
    'use a version that can (valibot: toStandardJsonSchema), or write JSON Schema'
  assert.ok(stderr.includes(sentence), `stderr: ${stderr.slice(0, 300)}`)
  assert.ok(status > 0, `exit code ${status}`)
  assert.equal(stdout, '')
}
