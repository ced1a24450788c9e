// What the tests of the tasks share: the tool as a client calls it, over a state that several servers may use.

import { cleanEnv, emptyFolder, startServer, type Json, type TestClient } from '../support.js'
import { call, type Said } from '../shell/support.js'

export interface World {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export function emptyWorld(more: NodeJS.ProcessEnv = {}): World {
  return { cwd: emptyFolder(), env: cleanEnv({ STATE_DIR: emptyFolder(), ...more }) }
}

export function serverIn({ cwd, env }: World): TestClient {
  return startServer({ cwd, env })
}

export function task(client: TestClient, action: string, more: Json = {}): Promise<Said> {
  return call(client, 'TaskManager', { action, query: '', ...more })
}
