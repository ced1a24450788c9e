// Product name and language menu. Used by console-page, the login, the loading screen and the settings. Renders only.

import { LANGUAGES } from '../../i18n/translator.js'
import { useTranslator } from '../use-translator.js'

export function Brand() {
  return (
    <p class="brand" dir="ltr">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <rect width="24" height="24" rx="6" />
        <path d="M6 17h6a5 5 0 0 0 0-10h-2l3-3M10 7l3 3" />
      </svg>
      scorpiox-code
    </p>
  )
}

export function LanguageSwitch({ chooseLanguage }: { readonly chooseLanguage: (language: string) => void }) {
  const { translate, language } = useTranslator()
  return (
    <label class="language">
      <span class="unseen">{translate('language')}</span>
      <select value={language} onChange={(event) => chooseLanguage(event.currentTarget.value)}>
        {LANGUAGES.map((entry) => (
          <option key={entry.language} value={entry.language} lang={entry.language}>
            {entry.name}
          </option>
        ))}
      </select>
    </label>
  )
}
