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

const PLACE = 'language'

const Speech = createContext<Words>(speak('en'))

export const SpeechProvider = Speech.Provider

export function useWords(): Words {
  return useContext(Speech)
}

export function useLanguage(): { readonly words: Words; readonly choose: (language: string) => void } {
  const [language, setLanguage] = useState<Language>(() => remembered() ?? preferred(navigator.languages))
  const words = useMemo(() => speak(language, localeOf(language, navigator.languages)), [language])
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = words.direction
  }, [language, words])
  const choose = (wanted: string): void => {
    const known = find(wanted)
    if (known === undefined) return
    setLanguage(known)
    try {
      localStorage.setItem(PLACE, known)
    } catch {
      // The choice applies to this visit only.
    }
  }
  return { words, choose }
}

function remembered(): Language | undefined {
  try {
    return find(localStorage.getItem(PLACE))
  } catch {
    return undefined
  }
}

function find(wanted: string | null): Language | undefined {
  return LANGUAGES.find(({ language }) => language === wanted)?.language
}
