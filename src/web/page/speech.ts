// The language of the page: context for translated text, and the choice of the user, which is stored.

import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'

import {
  LANGUAGES,
  localeOf,
  preferred,
  speak,
  type Language,
  type Words,
} from '../../services/board/languages/words.js'

const STORAGE_KEY = 'language'

const TranslatorContext = createContext<Words>(speak('en'))

export const SpeechProvider = TranslatorContext.Provider

export function useWords(): Words {
  return useContext(TranslatorContext)
}

export function useLanguage(): { readonly words: Words; readonly choose: (language: string) => void } {
  const [language, setLanguage] = useState<Language>(() => storedLanguage() ?? preferred(navigator.languages))
  const words = useMemo(() => speak(language, localeOf(language, navigator.languages)), [language])
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = words.direction
  }, [language, words])
  const choose = (requested: string): void => {
    const known = findLanguage(requested)
    if (known === undefined) return
    setLanguage(known)
    try {
      localStorage.setItem(STORAGE_KEY, known)
    } catch {
      // The choice applies to this visit only.
    }
  }
  return { words, choose }
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
