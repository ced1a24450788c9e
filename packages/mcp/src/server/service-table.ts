// The table of services. Each service is opened once, by the first call that needs it, and closed in reverse order at
// the end. A service that no call uses costs nothing. Created by services.ts of the app or for the `services` of the
// library; asked by methods/tools. No I/O of its own.

import { type ChangeEvents, createChangeEvents } from '../definitions/change-events.js'
import { Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'

export interface ServiceTable {
  readonly names: ReadonlySet<string>
  /** Returns the named services, synchronously if all of them are already open. */
  open(names: readonly string[]): JsonObject | Promise<JsonObject>
  close(): Promise<void>
}

/** Creates a service. It receives the change events and a function to get other services. */
export type ServiceFactories<S> = {
  readonly [K in keyof S]: (changeEvents: ChangeEvents, getOther: GetService<S>) => S[K] | Promise<S[K]>
}

/** Gets another service, opening it if necessary. */
export type GetService<S> = <K extends keyof S & string>(name: K) => Promise<S[K]>

export function createServiceTable<S extends object>(
  serviceFactories: ServiceFactories<S>,
  changeEvents = createChangeEvents(),
): ServiceTable {
  const opening = new Map<string, Promise<unknown>>()
  const opened = new Map<string, unknown>()
  let closing: Promise<void> | undefined
  const factories = new Map<string, (changeEvents: ChangeEvents, getOther: GetService<S>) => unknown>(
    Object.entries(serviceFactories),
  )

  function openService(name: string): Promise<unknown> {
    const running = opening.get(name)
    if (running) return running
    const factory = factories.get(name)
    if (!factory) return Promise.reject(new Error(`no such service: ${name}`))
    const promise = (async () => {
      const service = await factory(changeEvents, getService)
      opened.set(name, service)
      return service
    })()
    opening.set(name, promise)
    // A service that failed to open is opened again by the next call that needs it.
    promise.catch(() => opening.delete(name))
    return promise
  }

  async function openServices(names: readonly string[]): Promise<JsonObject> {
    const services = await Promise.all(names.map(openService))
    return Object.fromEntries(names.map((name, index) => [name, services[index]]))
  }

  function getService<K extends keyof S & string>(name: K): Promise<S[K]>
  function getService(name: string): Promise<unknown> {
    return closing ? Promise.reject(new Failure('The server is stopping.')) : openService(name)
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(opening.values())
    const failures: unknown[] = []
    for (const service of [...opened.values()].toReversed()) {
      try {
        if (isClosable(service)) await service.close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not every service could be closed')
  }

  return {
    names: new Set(factories.keys()),
    open(names) {
      if (closing) return Promise.reject(new Failure('The server is stopping.'))
      const services: Record<string, unknown> = {}
      for (const name of names) {
        if (!opened.has(name)) return openServices(names)
        services[name] = opened.get(name)
      }
      return services
    },
    close: () => (closing ??= closeAll()),
  }
}

function isClosable(service: unknown): service is { close(): unknown } {
  return typeof service === 'object' && service !== null && 'close' in service && typeof service.close === 'function'
}
