// Problems of the data sources, shown above every view, because an empty view would look like a good state.

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
