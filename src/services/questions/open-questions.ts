// Opens the question service of the current project. The database is opened when a question has to be stored.

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
