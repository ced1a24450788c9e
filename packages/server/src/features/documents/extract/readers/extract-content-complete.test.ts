import { expect, test } from 'vitest'

import { extractContent } from './extract-content.js'

const read = async (html: string) =>
  (
    await extractContent({
      url: 'https://site.example/',
      contentType: 'text/html',
      bytes: new TextEncoder().encode(html),
      format: 'text',
      fragment: '',
    })
  ).content

const NOUNS =
  'river stone window letter garden engine market winter captain paper mountain signal teacher harbour orchard'.split(
    ' ',
  )
const VERBS = 'carries follows remembers crosses answers measures keeps describes reaches leaves'.split(' ')

/** Distinct paragraphs, as in any text. */
function paragraph(at: number): string {
  const noun = (step: number) => NOUNS[(at * 7 + step * 5 + Math.floor(at / 15)) % NOUNS.length] ?? ''
  const verb = (step: number) => VERBS[(at * 3 + step + Math.floor(at / 10)) % VERBS.length] ?? ''
  return `<p>Paragraph ${at} tells how the ${noun(1)} ${verb(1)} the old ${noun(2)}, and why nobody in the town ${verb(2)} it. In the ${noun(3)} of that year, a ${noun(4)} ${verb(3)} every ${noun(5)} by the road. The ${noun(6)} ${verb(4)} what was said, though, and so it is written down here.</p>`
}

const menu = `<ul>${NOUNS.map((noun) => `<li><a href="/${noun}">${noun}</a></li>`).join('')}</ul>`

test.each([20, 400, 1500])('keeps all %d paragraphs of an article', async (count) => {
  const parts = Array.from(
    { length: count },
    (_, at) => (at % 10 === 0 ? `<h2>Part ${at / 10 + 1}</h2>` : '') + paragraph(at),
  )
  const html = `<html><head><title>The town</title></head><body><nav>${menu}</nav><main><article><h1>The town</h1>${parts.join('')}</article></main><aside>${menu}</aside><footer>${menu}</footer></body></html>`
  const content = await read(html)
  const lost = parts.filter((_, at) => !content.includes(`Paragraph ${at} tells`))
  expect(lost).toEqual([])
  expect(content).not.toContain('orchard\n')
})

test('keeps all text of a page without landmarks', async () => {
  const content = await read(`<h1>Notes</h1>${[1, 2, 3, 4].map(paragraph).join('')}<pre>make all</pre>${paragraph(5)}`)
  for (const part of ['Notes', ...[1, 2, 3, 4, 5].map((at) => `Paragraph ${at} tells`), 'make all'])
    expect(content).toContain(part)
})

test('returns a very short page unchanged', async () => {
  expect(await read('<body><p>Moved to the other house.</p></body>')).toBe('Moved to the other house.')
})
