import { LANGUAGES } from '../../../services/board/languages/words.js'
import { useWords } from '../speech.js'

export function LanguageSwitch({ choose }: { readonly choose: (language: string) => void }) {
  const { say, language } = useWords()
  return (
    <label class="language">
      <span class="unseen">{say('language')}</span>
      <select value={language} onChange={(event) => choose(event.currentTarget.value)}>
        {LANGUAGES.map((entry) => (
          <option key={entry.language} value={entry.language} lang={entry.language}>
            {entry.name}
          </option>
        ))}
      </select>
    </label>
  )
}
