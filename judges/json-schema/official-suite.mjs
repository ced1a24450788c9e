// Puts our validator to the required draft2020-12 tests of the official JSON-Schema-Test-Suite. No package carries it:
// clone https://github.com/json-schema-org/JSON-Schema-Test-Suite and run this by hand with SCHEMA_SUITE=<the clone>.
// SCHEMA_MODULE names another build of the validator.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

// Schemas are never fetched. These tests need a document from http://localhost:1234 or json-schema.org, so there is no
// verdict to compare: what is tested is that the schema is refused, with the reason.
const REFERENCE = /leads nowhere in the schema, and nothing is fetched\.$/
const DIALECT = /^The schema dialect .* is not supported/
const REFUSED = {
  'defs.json': { 'validate definition against metaschema': REFERENCE },
  'dynamicRef.json': {
    'strict-tree schema, guards against misspelled properties': REFERENCE,
    'tests for implementation dynamic anchor and reference link': REFERENCE,
    '$ref and $dynamicAnchor are independent of order - $defs first': REFERENCE,
    '$ref and $dynamicAnchor are independent of order - $ref first': REFERENCE,
    '$ref to $dynamicRef finds detached $dynamicAnchor': REFERENCE,
  },
  'ref.json': { 'remote ref, containing refs itself': REFERENCE },
  'refRemote.json': {
    'remote ref': REFERENCE,
    'fragment within remote ref': REFERENCE,
    'anchor within remote ref': REFERENCE,
    'ref within remote ref': REFERENCE,
    'base URI change': REFERENCE,
    'base URI change - change folder': REFERENCE,
    'base URI change - change folder in subschema': REFERENCE,
    'root ref in remote ref': REFERENCE,
    'remote ref with ref to defs': REFERENCE,
    'Location-independent identifier in remote ref': REFERENCE,
    'retrieved nested refs resolve relative to their URI not $id': REFERENCE,
    'remote HTTP ref with different $id': REFERENCE,
    'remote HTTP ref with different URN $id': REFERENCE,
    'remote HTTP ref with nested absolute ref': REFERENCE,
    '$ref to $ref finds detached $anchor': REFERENCE,
  },
  'vocabulary.json': {
    'schema that uses custom metaschema with with no validation vocabulary': DIALECT,
    'ignore unrecognized optional vocabulary': DIALECT,
  },
}

if (!existsSync(join(process.env.SCHEMA_SUITE ?? '', 'tests/draft2020-12'))) {
  console.error('Run this with SCHEMA_SUITE=<a clone of https://github.com/json-schema-org/JSON-Schema-Test-Suite>.')
  process.exit(1)
}
const folder = resolve(process.env.SCHEMA_SUITE, 'tests/draft2020-12')
const built = resolve(process.env.SCHEMA_MODULE ?? join(import.meta.dirname, '../../dist/judge/json-schema.mjs'))
const { compileSchema } = await import(pathToFileURL(built).href)

const total = { passed: 0, failed: 0, refused: 0 }
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) judgeFile(file)
console.log(`official suite: ${total.passed} passed, ${total.failed} failed, ${total.refused} refused as intended`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1

function judgeFile(file) {
  const failures = JSON.parse(readFileSync(join(folder, file), 'utf8')).flatMap((group) => {
    const sentence = REFUSED[file]?.[group.description]
    return sentence === undefined ? judgeGroup(group) : judgeRefused(group, sentence)
  })
  if (failures.length > 0) console.log(`${file}\n${failures.map((failure) => `  ${failure}`).join('\n')}`)
  total.failed += failures.length
}

function judgeGroup({ description, schema, tests }) {
  let check
  try {
    check = compileSchema(schema)
  } catch (error) {
    return tests.map((test) => `${description}: ${test.description}: ${error.message}`)
  }
  return tests.flatMap((test) => {
    const problem = judgeTest(check, test)
    if (problem === undefined) total.passed++
    return problem === undefined ? [] : [`${description}: ${test.description}: ${problem}`]
  })
}

function judgeTest(check, { data, valid }) {
  try {
    const problems = check(data)
    if (problems === undefined) return valid ? undefined : 'judged valid'
    if (problems.length === 0) return 'judged invalid without a problem'
    return valid ? `judged invalid: ${problems[0].message}` : undefined
  } catch (error) {
    return `threw ${error.stack}`
  }
}

function judgeRefused({ description, schema, tests }, sentence) {
  try {
    compileSchema(schema)
  } catch (error) {
    if (!sentence.test(error.message)) return [`${description}: refused for another reason: ${error.message}`]
    total.refused += tests.length
    return []
  }
  return [`${description}: not refused`]
}
