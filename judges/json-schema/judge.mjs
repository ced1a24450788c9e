// Validates random values by random schemas with our validator and with third-party ones, and compares the verdicts. The last
// line is `json-schema: N passed, N failed, N skipped`; a pair on which the others disagree is not among the passed.
// SEED gives other schemas, SCHEMA_MODULE names another build of ours.

import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import fc from 'fast-check'

import { validators } from './foreign.mjs'
import { areas } from './schemas.mjs'

const schemasPerArea = 1000
const fewestPairs = 20_000
const seed = Number(process.env.SEED ?? 20_201_212)

const built = resolve(process.env.SCHEMA_MODULE ?? join(import.meta.dirname, '../../dist/judge/json-schema.mjs'))
const { compileSchema } = await import(pathToFileURL(built).href)

const pairs = { both: 0, one: 0, none: 0, disputed: 0 }
const total = { passed: 0, failed: 0 }
for (const [name, { unheard }] of Object.entries(validators)) {
  for (const [rule, { proof, applies }] of Object.entries(unheard)) judgeRule(name, rule, proof, applies)
}
for (const [area, cases] of Object.entries(areas)) judgeArea(area, cases)
if (total.failed === 0 && total.passed < fewestPairs) fail('all', `only ${total.passed} pairs were judged`)
console.log(
  `json-schema: seed ${seed}: ${pairs.both} pairs judged by both, ${pairs.one} by one alone, ` +
    `${pairs.disputed} disputed, ${pairs.none} left out (neither is consulted)`,
)
console.log(`json-schema: ${total.passed} passed, ${total.failed} failed, 0 skipped`)
process.exitCode = total.failed > 0 ? 1 : 0

/** A rule stands as long as the validator is wrong, and ours right, about its proof. */
function judgeRule(name, rule, [schema, value, right], applies) {
  const theirs = verdictsOf(validators[name].compile, schema)(value)
  const ours = verdictsOf(compileOurs, schema)(value)
  const label = `${name}: ${rule} | ${schema} of ${value}`
  if (!applies(JSON.parse(schema), JSON.parse(value))) fail(label, 'the rule does not cover its own proof')
  else if (theirs === right) fail(label, `${name} is right about it now: remove the rule`)
  else if (ours !== right) fail(label, `ours is ${ours}, the specification ${right}`)
  else total.passed++
}

function judgeArea(area, cases) {
  let isFirst = true
  const property = fc.property(cases, ({ schema, values }) => {
    const found = compare(schema, values)
    const wrong = found.filter(({ kind }) => kind === 'wrong')
    // Runs after a failure only make it smaller.
    if (isFirst) for (const { kind } of found) count(kind)
    if (wrong.length > 0) isFirst = false
    return wrong.length === 0
  })
  const { counterexample } = fc.check(property, { seed, numRuns: schemasPerArea })
  if (counterexample === null) return
  const [{ schema, values }] = counterexample
  const { value, ours, verdictsOfOthers } = compare(schema, values).find(({ kind }) => kind === 'wrong')
  const theirs = verdictsOfOthers.map(([name, verdict]) => `${name} ${verdict}`).join(', ')
  fail(area, `${JSON.stringify(schema)} of ${value}: ours ${ours}, ${theirs}`)
}

function count(kind) {
  if (kind === 'wrong') return
  pairs[kind]++
  if (kind === 'both' || kind === 'one') total.passed++
}

/** What comes of each value: judged by both or one, left out (none), disputed between them, or wrong. */
function compare(schema, values) {
  const text = JSON.stringify(schema)
  const ours = verdictsOf(compileOurs, text)
  const others = Object.entries(validators).map(([name, { compile, unheard }]) => ({
    name,
    verdict: verdictsOf(compile, text),
    isApplicable: (value) => !Object.values(unheard).some(({ applies }) => applies(schema, value)),
  }))
  return values.map((each) => {
    const value = JSON.stringify(each)
    const verdictsOfOthers = others
      .filter(({ isApplicable }) => isApplicable(each))
      .map(({ name, verdict }) => [name, verdict(value)])
      // A validator that throws has no verdict.
      .filter(([, verdict]) => typeof verdict === 'boolean')
    const found = { value, ours: ours(value), verdictsOfOthers }
    return { ...found, kind: kindOf(found) }
  })
}

function kindOf({ ours, verdictsOfOthers }) {
  const verdicts = verdictsOfOthers.map(([, verdict]) => verdict)
  if (typeof ours !== 'boolean' || (verdicts.length > 0 && !verdicts.includes(ours))) return 'wrong'
  if (verdicts.some((verdict) => verdict !== ours)) return 'disputed'
  return ['none', 'one', 'both'][verdicts.length]
}

/** True, false, or what was thrown. From JSON text, so that no validator gets a value that another one has changed. */
function verdictsOf(compile, schema) {
  const check = compile(JSON.parse(schema))
  return (value) => {
    try {
      return check(JSON.parse(value))
    } catch (error) {
      return `threw (${error.message})`
    }
  }
}

/** The schemas are good ones: to refuse one is a wrong verdict on every value. */
function compileOurs(schema) {
  let check
  try {
    check = compileSchema(schema)
  } catch (error) {
    return () => `refused the schema (${error.message})`
  }
  return (value) => {
    const problems = check(value)
    return problems?.length === 0 ? 'invalid without a problem' : problems === undefined
  }
}

function fail(label, reason) {
  total.failed++
  console.log(`FAIL json-schema | ${label} | ${reason}`)
}
