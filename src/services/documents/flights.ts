// Work that several want at the same time is done once. It is stopped when the last of them has left.

import { orAborted } from '../../lib/or-aborted.js'

export interface Flights<T> {
  /** Joins what is under way by that name, or starts it. */
  join(name: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface Flight<T> {
  readonly work: Promise<T>
  readonly stop: AbortController
  passengers: number
}

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>()

  function begin(name: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const stop = new AbortController()
    const work = start(stop.signal).finally(() => forget(name, flight))
    const flight: Flight<T> = { work, stop, passengers: 0 }
    flights.set(name, flight)
    return flight
  }

  function forget(name: string, flight: Flight<T>): void {
    if (flights.get(name) === flight) flights.delete(name)
  }

  return {
    async join(name, signal, start) {
      const flight = flights.get(name) ?? begin(name, start)
      flight.passengers++
      try {
        return await orAborted(flight.work, signal)
      } finally {
        if (--flight.passengers === 0) {
          // Whoever comes now must not join what is being stopped.
          forget(name, flight)
          flight.stop.abort()
        }
      }
    },
  }
}
