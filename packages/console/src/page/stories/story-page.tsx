// Entry point of the page with the stories: a list of links, or the story in the address (`?story=jobs-list&language=ar`).
// Tests switch stories through `stories`, without loading the page again. Built by scripts/story-page.mjs; not part of
// the product. Changes the document, its address and its stored values.

import { render } from 'preact'

import { createTranslator, type Language, LANGUAGES } from '../../i18n/translator.js'
import { TranslatorProvider } from '../use-translator.js'
import { COMPONENT_STORIES } from './components.stories.js'
import { inspectLayout } from './inspect-layout.js'
import { PAGE_STORIES } from './page.stories.js'
import type { Story } from './story.js'
import { replaceRequests, setAnswers } from './story-answers.js'

const STORIES: readonly Story[] = [...COMPONENT_STORIES, ...PAGE_STORIES]
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', ko: 'ko-KR', ar: 'ar-EG' }

const app = document.getElementById('app')
if (app !== null) {
  replaceRequests()
  Object.assign(globalThis, {
    stories: {
      names: STORIES.map(({ name }) => name),
      show: (name: string, language: Language) => showStory(app, name, language),
      inspect: inspectLayout,
    },
  })
  const asked = new URLSearchParams(location.search)
  const name = asked.get('story')
  const language = LANGUAGES.find((known) => known.language === asked.get('language'))?.language ?? 'en'
  if (name === null) render(<StoryList />, app)
  else void showStory(app, name, language)
}

function StoryList() {
  return (
    <main id="main">
      <h1>Stories</h1>
      <ul>
        {STORIES.map(({ name }) => (
          <li key={name}>
            {name}:{' '}
            {LANGUAGES.map(({ language }) => (
              <a key={language} href={`?story=${name}&language=${language}`}>
                {language}{' '}
              </a>
            ))}
          </li>
        ))}
      </ul>
    </main>
  )
}

/** Resolves when nothing changes any more. */
async function showStory(root: HTMLElement, name: string, language: Language): Promise<void> {
  const story = STORIES.find((known) => known.name === name)
  if (story === undefined) throw new Error(`There is no story "${name}".`)
  render(null, root)
  // Drafts and settings of the story before.
  sessionStorage.clear()
  localStorage.clear()
  history.replaceState(null, '', `${location.pathname}${location.search}${story.address ?? '#/'}`)
  const translator = createTranslator(language, LOCALES[language])
  Object.assign(document.documentElement, { lang: language, dir: translator.direction })
  scrollTo(0, 0)
  const context = { language, now: Date.now() }
  setAnswers(story.answers?.(context) ?? {})
  // The page of a story is a new one each time: the key makes Preact forget the one before.
  render(
    <TranslatorProvider key={`${name} ${language}`} value={translator}>
      {story.render(context)}
    </TranslatorProvider>,
    root,
  )
  await untilStill()
  if (story.play === undefined) return
  story.play(root)
  await untilStill()
}

/** No change of the document in three frames: what was requested has arrived and is shown. */
async function untilStill(): Promise<void> {
  let quietFrames = 0
  const observer = new MutationObserver(() => {
    quietFrames = 0
  })
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  for (let frame = 0; frame < 200 && quietFrames < 3; frame += 1) {
    quietFrames += 1
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  observer.disconnect()
  if (quietFrames < 3) throw new Error('The story does not come to rest.')
}
