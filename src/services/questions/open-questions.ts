// Puts the questions together: those of this project, in what is remembered, which is opened when one has to be kept.

import type { Config } from '../../config/load.js'
import { projectOf } from '../../platform/project.js'
import type { Watchers } from '../board/watchers.js'
import type { LazyState } from '../state.js'
import { createQuestions, type Questions } from './questions.js'

export function openQuestions({ cwd, settings }: Config, state: LazyState, watchers: Watchers): Questions {
  return createQuestions({ state, watchers, project: projectOf(cwd), waitSeconds: settings.ASK_WAIT })
}
