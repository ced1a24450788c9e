// What a story is: a component or the whole page in one state, shown by story-page.tsx for developers and for the test
// that photographs every story. Whole pages get their data from answers that a story gives in place of the server.

import type { ComponentChildren } from 'preact'

import type { Language } from '../../i18n/translator.js'
import type { ConsoleView } from '../../view.js'
import { ConsolePage } from '../console-page.js'
import { viewAnswers } from './data/view-answers.js'
import { answerEvents, answerJson, type StoryAnswers } from './story-answers.js'

export interface Story {
  /** Unique; its pictures have this name: `jobs-empty`. */
  readonly name: string
  readonly render: (context: StoryContext) => ComponentChildren
  /** The fragment of the URL; by default that of the start view. */
  readonly address?: string
  /** Answers to requests, by path; others are refused. */
  readonly answers?: (context: StoryContext) => StoryAnswers
  /** Brings the story into its state, as a user would. */
  readonly play?: (root: HTMLElement) => void
}

export interface StoryContext {
  readonly language: Language
  readonly now: number
}

interface PageStory extends Omit<Story, 'render'> {
  readonly view: (context: StoryContext) => ConsoleView
  /** The connection is lost after the first view. */
  readonly isLost?: boolean
}

/** The whole page after the login. */
export function pageStory({ view, isLost = false, answers, ...story }: PageStory): Story {
  return {
    ...story,
    answers: (context) => ({
      'login.json': () => answerJson({ kind: 'ui' }),
      board: ({ times, signal }) =>
        isLost && times > 1
          ? new Response(null, { status: 502 })
          : answerEvents([view(context)], isLost ? undefined : signal),
      ...viewAnswers(view(context)),
      ...answers?.(context),
    }),
    render: () => (
      <ConsolePage
        login={{ token: 'story', byLink: false }}
        logOut={() => undefined}
        onDenied={() => undefined}
        onLive={() => undefined}
        chooseLanguage={() => undefined}
      />
    ),
  }
}

/** Clicks the first element that matches a selector. */
export function click(selector: string): (root: HTMLElement) => void {
  return (root) => root.querySelector<HTMLElement>(selector)?.click()
}

export function press(key: string, options: KeyboardEventInit = {}): () => void {
  return () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...options }))
}
