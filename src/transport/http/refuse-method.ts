import type { Visit } from './visit.js'

export function refuseMethod(exchange: Visit, allow: string): void {
  exchange.refuse({ status: 405, reason: `This path takes ${allow}`, headers: { allow } }, 'method')
}
