// What is said where the path is right and the method is not.

import type { Visit } from './visit.js'

export function refuseMethod(visit: Visit, allow: string): void {
  visit.refuse({ status: 405, reason: `This path takes ${allow}`, headers: { allow } }, 'method')
}
