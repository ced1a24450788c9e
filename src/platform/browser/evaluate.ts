// Runs a script in the current document of a page, in an isolated world that the scripts of the page cannot change.

import { isObject, type JsonObject } from '../../lib/json.js'
import { Refusal } from './devtools.js'
import type { Page } from './open-page.js'

/** Undefined if the document was replaced meanwhile, or the script failed. */
export async function evaluate(
  { session, frameId }: Page,
  script: string,
  input: unknown,
): Promise<JsonObject | undefined> {
  try {
    const world = await session.ask('Page.createIsolatedWorld', { frameId, worldName: 'scorpiox' })
    const { result, exceptionDetails } = await session.ask('Runtime.evaluate', {
      contextId: world.executionContextId,
      expression: `(${script})(${JSON.stringify(input)})`,
      awaitPromise: true,
      returnByValue: true,
    })
    return exceptionDetails === undefined && isObject(result) && isObject(result.value) ? result.value : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
