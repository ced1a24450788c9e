// Every form of the grammar server is correct English; everything else is refused at every revision.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { LEGACY } from '../support/client.js'
import { calling, PERSONS, REVISIONS, startGrammar, TENSES, VERBS } from './support.js'

/** Third person, past, participle; `be` has more of its own. */
const IRREGULAR: Record<string, readonly [string, string, string]> = {
  be: ['is', 'was', 'been'],
  have: ['has', 'had', 'had'],
  do: ['does', 'did', 'done'],
  go: ['goes', 'went', 'gone'],
  come: ['comes', 'came', 'come'],
  see: ['sees', 'saw', 'seen'],
  eat: ['eats', 'ate', 'eaten'],
  write: ['writes', 'wrote', 'written'],
}

function regular(verb: string): readonly [string, string, string] {
  const stem = verb.replace(/(?<=[^aeiou])y$/, 'i')
  const third = stem !== verb || /(ch|sh|s|x)$/.test(verb) ? `${stem}es` : `${verb}s`
  const past = verb.endsWith('e') ? `${verb}d` : `${stem}ed`
  return [third, past, past]
}

function expected(verb: string, tense: string, person: string): string {
  const [third, past, participle] = IRREGULAR[verb] ?? regular(verb)
  switch (tense) {
    case 'infinitive':
      return verb
    case 'simple future':
      return `will ${verb}`
    case 'past participle':
      return participle
    case 'past simple':
      return verb === 'be' && person === '2nd singular' ? 'were' : past
    default:
      if (person === '3rd singular') return third
      return verb === 'be' ? (person === '1st singular' ? 'am' : 'are') : verb
  }
}

const ALL = VERBS.flatMap((verb) => TENSES.flatMap((tense) => PERSONS.map((person) => ({ verb, tense, person }))))

test('all 300 forms are correct', async () => {
  const client = startGrammar('tools-only')
  await client.initialize('2024-11-05')
  const answers = await Promise.all(ALL.map(calling(client, '2024-11-05', 'conjugate')))
  const results = answers.map(({ result }) => result.content[0].text)
  expect(results).toEqual(ALL.map(({ verb, tense, person }) => expected(verb, tense, person)))
  expect([...new Set(ALL.map((args) => JSON.stringify(args)))]).toHaveLength(300)
  await client.close()
})

const odd = (known: readonly string[]) =>
  fc.oneof(fc.string(), fc.jsonValue()).filter((value) => !known.some((word) => word === value))

/** Arguments of which at least one is wrong. */
const WRONG = fc
  .record({
    base: fc.constantFrom(...ALL),
    wrong: fc.subarray(['verb', 'tense', 'person'] as const, { minLength: 1 }),
    odd: fc.record({ verb: odd(VERBS), tense: odd(TENSES), person: odd(PERSONS) }),
    missing: fc.boolean(),
  })
  .map(({ base, wrong, odd: values, missing }) => {
    const changed = wrong.map((name) => [name, missing ? undefined : values[name]])
    return { args: { ...base, ...Object.fromEntries(changed) }, wrong }
  })

describe.each(REVISIONS)('at %s', (revision) => {
  test('any invalid input is refused by name, and the next call works', async () => {
    const client = startGrammar('tools-only')
    if (LEGACY.some((known) => known === revision)) await client.initialize(revision)
    const call = calling(client, revision, 'conjugate')
    await fc.assert(
      fc.asyncProperty(WRONG, async ({ args, wrong }) => {
        const { error, result } = await call(args)
        const message: string = error?.message ?? result.content[0].text
        expect(message.slice(0, message.indexOf(':'))).toBe(error ? 'Invalid params' : 'Invalid arguments')
        for (const name of wrong) expect(message).toContain(`'${name}'`)
        expect([error?.code, result?.isError]).toEqual(
          revision === '2024-11-05' ? [-32602, undefined] : [undefined, true],
        )
        return true
      }),
      { numRuns: 40 },
    )
    const flew = await call({ verb: 'fly', tense: 'past simple', person: '1st singular' })
    const text = "'verb' must be one of the 20 allowed verbs"
    expect(flew.error?.message ?? flew.result.content[0].text).toBe(
      `${revision === '2024-11-05' ? 'Invalid params' : 'Invalid arguments'}: ${text}`,
    )
    expect(await call({ verb: 'eat', tense: 'past simple', person: '1st singular' })).toMatchObject({
      result: { content: [{ type: 'text', text: 'ate' }], isError: false },
    })
    await client.close()
  })
})
