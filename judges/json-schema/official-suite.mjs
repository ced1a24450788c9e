// Puts our validator to the official JSON-Schema-Test-Suite: every required draft2020-12 test that needs no network.
// SCHEMA_MODULE names another build of the validator, SCHEMA_SUITE another copy of the suite.

import { readdirSync, readFileSync, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

// Our law is to never fetch. These need a document from http://localhost:1234 or json-schema.org; each must be refused
// with a sentence, and is counted as skipped.
const REMOTE = 'refers to a document on http://localhost:1234'
const METASCHEMA = 'refers to the 2020-12 metaschema on json-schema.org'
const DIALECT = 'is written in a dialect of its own, described on http://localhost:1234'
const SKIPPED = {
  'defs.json': { 'validate definition against metaschema': METASCHEMA },
  'dynamicRef.json': {
    'strict-tree schema, guards against misspelled properties': REMOTE,
    'tests for implementation dynamic anchor and reference link': REMOTE,
    '$ref and $dynamicAnchor are independent of order - $defs first': REMOTE,
    '$ref and $dynamicAnchor are independent of order - $ref first': REMOTE,
    '$ref to $dynamicRef finds detached $dynamicAnchor': REMOTE,
  },
  'ref.json': { 'remote ref, containing refs itself': METASCHEMA },
  'refRemote.json': {
    'remote ref': REMOTE,
    'fragment within remote ref': REMOTE,
    'anchor within remote ref': REMOTE,
    'ref within remote ref': REMOTE,
    'base URI change': REMOTE,
    'base URI change - change folder': REMOTE,
    'base URI change - change folder in subschema': REMOTE,
    'root ref in remote ref': REMOTE,
    'remote ref with ref to defs': REMOTE,
    'Location-independent identifier in remote ref': REMOTE,
    'retrieved nested refs resolve relative to their URI not $id': REMOTE,
    'remote HTTP ref with different $id': REMOTE,
    'remote HTTP ref with different URN $id': REMOTE,
    'remote HTTP ref with nested absolute ref': REMOTE,
    '$ref to $ref finds detached $anchor': REMOTE,
  },
  'vocabulary.json': {
    'schema that uses custom metaschema with with no validation vocabulary': DIALECT,
    'ignore unrecognized optional vocabulary': DIALECT,
  },
}

const { compileSchema } = await import(
  pathToFileURL(resolve(process.env.SCHEMA_MODULE ?? join(here, '../../dist/judge/json-schema.mjs'))).href
)
const folder = join(suiteFolder(), 'tests/draft2020-12')
const total = { passed: 0, failed: 0, skipped: 0 }
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) judgeFile(file)
const isGood = total.failed === 0 && total.passed > 0
console.log(`json-schema 2020-12: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = isGood ? 0 : 1

function judgeFile(file) {
  const failures = []
  for (const group of JSON.parse(readFileSync(join(folder, file), 'utf8'))) {
    const skipReason = SKIPPED[file]?.[group.description]
    if (skipReason === undefined) failures.push(...judgeGroup(group))
    else failures.push(...judgeSkipped(group, skipReason))
  }
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
    if (problems === undefined) return valid ? undefined : 'said to be valid'
    if (problems.length === 0) return 'said to be invalid without a problem'
    return valid ? `said to be invalid: ${problems[0].message}` : undefined
  } catch (error) {
    return `threw ${error.stack}`
  }
}

function judgeSkipped({ description, schema, tests }, skipReason) {
  try {
    compileSchema(schema)
  } catch {
    total.skipped += tests.length
    return []
  }
  return [`${description}: ${skipReason}, but was not refused`]
}

function suiteFolder() {
  const suite = process.env.SCHEMA_SUITE ?? installedSuite()
  if (existsSync(join(suite, 'tests/draft2020-12'))) return resolve(suite)
  throw new Error(`${suite} has no draft2020-12 tests: it is a copy of the suite from before that draft.`)
}

function installedSuite() {
  try {
    return dirname(createRequire(import.meta.url).resolve('json-schema-test-suite/package.json'))
  } catch {
    throw new Error('json-schema-test-suite is not installed in judges/, and SCHEMA_SUITE names no copy of it.')
  }
}
