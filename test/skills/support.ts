// Shared by the skill tests: a project and a home with skills, and a server in them.

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { emptyFolder, type Json, startServer, type TestClient } from '../support/client.js'

export interface SkillProject {
  readonly project: string
  readonly home: string
  /** Writes a file below the project's folder of skills. */
  readonly put: (path: string, text: string | Buffer) => string
  readonly skill: (name: string, body: string, description?: string) => string
  readonly start: (env?: NodeJS.ProcessEnv) => TestClient
}

export function newSkillProject(): SkillProject {
  const [project, home] = [realpathSync(emptyFolder()), realpathSync(emptyFolder())]
  const put = (path: string, text: string | Buffer): string => {
    const file = join(project, '.claude', 'skills', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  return {
    project,
    home,
    put,
    skill: (name, body, description = `Does ${name}`) =>
      put(`${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}`),
    start: (env = {}) => startServer({ cwd: project, env: { HOME: home, ...env } }),
  }
}

export async function describedSkills(client: TestClient): Promise<string> {
  const { tools } = (await client.request('tools/list')).result
  return tools.find(({ name }: Json) => name === 'InvokeSkill').description
}
