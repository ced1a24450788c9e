// Puts the questions together: those of this project, in what is remembered, which is opened when one has to be kept.

import type { Config } from '../../config/load.js'
import { projectOf } from '../../platform/project.js'
import { createQuestions, type Questions, type QuestionsSettings } from './questions.js'

export interface Surroundings extends Pick<QuestionsSettings, 'state' | 'watchers' | 'attend'> {
  readonly config: Config
}

export function openQuestions({ config, ...surroundings }: Surroundings): Questions {
  const { cwd, settings } = config
  return createQuestions({ ...surroundings, project: projectOf(cwd), waitSeconds: settings.ASK_WAIT })
}
