// The language of the page: context for translated text, and the choice of the user, which is stored in localStorage.
// Provided by main.tsx, used by all components. Sets the language of the document.

import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'

import {
  createTranslator,
  type Language,
  LANGUAGES,
  preferredLanguage,
  preferredLocale,
  type Translator,
} from '../i18n/translator.js'

const STORAGE_KEY = 'language'

const TranslatorContext = createContext<Translator>(createTranslator('en'))

export const TranslatorProvider = TranslatorContext.Provider

export function useTranslator(): Translator {
  return useContext(TranslatorContext)
}

export function useLanguage(): { readonly translator: Translator; readonly choose: (language: string) => void } {
  const [language, setLanguage] = useState<Language>(() => storedLanguage() ?? preferredLanguage(navigator.languages))
  const translator = useMemo(
    () => createTranslator(language, preferredLocale(language, navigator.languages)),
    [language],
  )
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = translator.direction
  }, [language, translator])
  const choose = (requested: string): void => {
    const known = findLanguage(requested)
    if (known === undefined) return
    setLanguage(known)
    try {
      localStorage.setItem(STORAGE_KEY, known)
    } catch {
      // The choice is lost when the page is closed.
    }
  }
  return { translator, choose }
}

function storedLanguage(): Language | undefined {
  try {
    return findLanguage(localStorage.getItem(STORAGE_KEY))
  } catch {
    return undefined
  }
}

function findLanguage(requested: string | null): Language | undefined {
  return LANGUAGES.find(({ language }) => language === requested)?.language
}
