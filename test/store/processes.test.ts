// Several processes that create a database, and write to it, at the same time.

import { join } from 'node:path'

import { expect, test } from 'vitest'

import { emptyFolder } from '../support/client.js'
import { acknowledgedTo, startWriter } from './writers.js'

const newLocation = () => ({ file: join(emptyFolder(), 'state', 'state.db'), databaseUrl: '' })

test('40 parallel writes of each of 5 processes: 200 of 200 are kept, each with a unique number', async () => {
  const location = newLocation()
  const writers = Array.from({ length: 5 }, (_, index) => startWriter({ location, name: `${index}`, how: 'together' }))
  const ends = await Promise.all(writers.map(({ ended }) => ended))
  expect(ends).toEqual(ends.map(() => ({ code: 0, stderr: '' })))
  const ids = writers.flatMap((writer) => [...acknowledgedTo(writer).keys()])
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
})

test('8 concurrently started processes create the tables once', async () => {
  for (let round = 0; round < 3; round++) {
    const location = newLocation()
    const writers = Array.from({ length: 8 }, (_, index) =>
      startWriter({ location, name: `${index}`, how: 'together', count: 2 }),
    )
    const ends = await Promise.all(writers.map(({ ended }) => ended))
    expect(ends).toEqual(ends.map(() => ({ code: 0, stderr: '' })))
    const ids = writers.flatMap((writer) => [...acknowledgedTo(writer).keys()])
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
  }
})
