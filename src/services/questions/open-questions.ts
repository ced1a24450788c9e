// Opens the question service of the current project. The database is opened when a question has to be stored.

import type { Config } from '../../config/load.js'
import { projectOf } from '../../platform/project.js'
import { createQuestions, type Questions, type QuestionsSettings } from './questions.js'

export interface Surroundings extends Omit<QuestionsSettings, 'project' | 'waitSeconds'> {
  readonly config: Config
}

export function openQuestions({ config, ...deps }: Surroundings): Questions {
  const { cwd, settings } = config
  return createQuestions({ ...deps, project: projectOf(cwd), waitSeconds: settings.ASK_WAIT })
}
