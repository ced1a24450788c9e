import { expect, test } from 'vitest'

import { findVariableName, readVariable } from './environment-variable.js'

test('on Windows a variable is found whatever its letters are, elsewhere only by its exact name', () => {
  const env = { Path: 'C:\\Windows', HOME: '/home/ann' }
  expect(readVariable(env, 'PATH', 'win32')).toBe('C:\\Windows')
  expect(readVariable(env, 'PATH', 'linux')).toBeUndefined()
  expect(findVariableName(env, 'PATH', 'win32')).toBe('Path')
  expect(findVariableName(env, 'EDITOR', 'win32')).toBe('EDITOR')
  expect(readVariable({ ...env, PATH: 'D:\\' }, 'PATH', 'win32')).toBe('D:\\')
})
