import { expect, test } from 'vitest'

import { CLIENTS } from './clients.js'

test('the file of a project is connected only if it is named', () => {
  expect(CLIENTS.filter(({ onlyWhenNamed }) => onlyWhenNamed).map(({ id }) => id)).toEqual(['project'])
})
