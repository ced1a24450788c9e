// What is wrong with the places that everything comes from, above every view: an empty one would be taken for good news.

import { useWords } from '../speech.js'
import { Foreign } from './foreign.js'

export function Problems({ problems }: { readonly problems: readonly string[] }) {
  const { say } = useWords()
  if (problems.length === 0) return null
  return (
    <section class="card problems" aria-labelledby="problems">
      <p id="problems">
        <strong>{say('problems')}</strong>
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <Foreign lang="en" text={problem} />
          </li>
        ))}
      </ul>
    </section>
  )
}
