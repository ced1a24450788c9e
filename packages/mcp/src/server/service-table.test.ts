import { expect, test } from 'vitest'

import { createServiceTable } from './service-table.js'

test('a service is opened once, by the first call that needs it, and then returned synchronously', async () => {
  let opened = 0
  const services = createServiceTable({ a: async () => ++opened, b: () => 'b' })
  expect(opened).toBe(0)
  const [first, second] = await Promise.all([services.open(['a']), services.open(['a', 'b'])])
  expect([first, second]).toEqual([{ a: 1 }, { a: 1, b: 'b' }])
  expect(services.open(['a', 'b'])).toEqual({ a: 1, b: 'b' })
})

test('a service that failed to open is opened again by the next call', async () => {
  let tries = 0
  const services = createServiceTable({
    disk: async () => {
      if (++tries === 1) throw new Error('disk full')
      return 'open'
    },
  })
  await expect(services.open(['disk'])).rejects.toThrow('disk full')
  expect(await services.open(['disk'])).toEqual({ disk: 'open' })
})

test('services are closed in reverse order, unopened ones are skipped', async () => {
  const closed: string[] = []
  const closable = (name: string) => () => ({ close: () => closed.push(name) })
  const services = createServiceTable({ a: closable('a'), b: closable('b'), c: closable('c') })
  await services.open(['a'])
  await services.open(['b'])
  await services.close()
  expect(closed).toEqual(['b', 'a'])
})

test('an unknown name is an error', async () => {
  await expect(createServiceTable({}).open(['x'])).rejects.toThrow('no such service: x')
})
