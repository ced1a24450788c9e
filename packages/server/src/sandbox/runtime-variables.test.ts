import { expect, test } from 'vitest'

import { findWritableRuntimeFile } from './runtime-variables.js'

const writableRoots = { paths: ['/project'], contains: (path: string) => `${path}/`.startsWith('/project/') }

function find(variable: string, value: string, cwd = '/project'): string | undefined {
  return findWritableRuntimeFile({ [variable]: value }, writableRoots, cwd)?.text
}

test.each([
  ['NODE_OPTIONS', '--require ./hook.js'],
  ['NODE_OPTIONS', '--require=/project/hook.js'],
  ['NODE_OPTIONS', '--max-old-space-size=4096 -r dotenv/config'],
  ['NODE_OPTIONS', '--import tsx'],
  ['NODE_OPTIONS', '--import=file:///project/x.mjs'],
  ['NODE_OPTIONS', '--import "@scope/hook"'],
  ['NODE_OPTIONS', '--experimental-loader=ts-node/esm'],
  ['NODE_OPTIONS', '--openssl-config=openssl.cnf'],
  ['NODE_OPTIONS', '--experimental-default-config-file'],
  ['NODE_OPTIONS', '--some-new-option=./file'],
  ['NODE_OPTIONS', '--some-new-option /project/file'],
  ['BUN_OPTIONS', '--preload ./x.ts'],
  ['BUN_OPTIONS', '--config=bunfig.toml'],
  ['NODE_PATH', '/usr/lib/node:lib'],
  ['OPENSSL_CONF', '/project/openssl.cnf'],
  ['OPENSSL_CONF', 'openssl.cnf'],
  ['OPENSSL_MODULES', '/project/modules'],
  ['NODE_EXTRA_CA_CERTS', '/project/ca.pem'],
  ['SSL_CERT_DIR', '/etc/ssl:/project/certs'],
  ['LD_LIBRARY_PATH', '/opt/lib:/project/lib'],
  ['LD_LIBRARY_PATH', ':/opt/lib'],
  ['LD_LIBRARY_PATH', 'lib'],
  ['DYLD_INSERT_LIBRARIES', '/opt/a b.dylib:/project/b.dylib'],
  ['DYLD_FALLBACK_LIBRARY_PATH', 'lib'],
  ['LD_PRELOAD', '/usr/lib/a.so /project/b.so'],
])('%s=%s is loaded from the project', (variable, value) => {
  expect(find(variable, value)).toBeDefined()
})

test.each([
  ['NODE_OPTIONS', ''],
  ['NODE_OPTIONS', '--max-old-space-size=4096 --no-warnings --trace-uncaught'],
  ['NODE_OPTIONS', '--require /opt/hook.js --import=node:test'],
  ['NODE_PATH', '/usr/lib/node_modules'],
  ['OPENSSL_CONF', '/etc/ssl/openssl.cnf'],
  ['LD_LIBRARY_PATH', '/opt/lib'],
  ['DYLD_FRAMEWORK_PATH', '/opt/frameworks'],
  ['LD_LIBRARY_PATH', ''],
  ['LD_PRELOAD', 'libjemalloc.so.2'],
  ['PATH', '/project/bin'],
])('%s=%s is not', (variable, value) => {
  expect(find(variable, value)).toBeUndefined()
})

test('a name of a package is searched where the server was started', () => {
  expect(find('NODE_OPTIONS', '--require dotenv/config', '/home/user')).toBeUndefined()
})
