// Judges the manifests of examples/kubernetes with schemas of others: the validators and the types of the package
// kubernetes-models, which are generated from the published API of Kubernetes. The validators accept fields that do not
// exist, so the TypeScript compiler checks for those. Nothing is run in a cluster.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

import { parseAllDocuments } from 'yaml'

const here = import.meta.dirname
const folder = resolve(here, '../examples/kubernetes')
let passed = 0
let failed = 0

const documents = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => ({ file, manifest: document.toJS() })),
)
for (const { file, manifest } of documents) {
  await check(`${file}: ${manifest.kind} ${manifest.metadata.name} is valid`, async () => {
    const { [manifest.kind]: Model } = await import(`kubernetes-models/${manifest.apiVersion}`)
    new Model(manifest).validate()
  })
}
await check('a wrong value is found', async () => {
  const { Deployment } = await import('kubernetes-models/apps/v1')
  const { manifest } = documents.find(({ manifest: { kind } }) => kind === 'Deployment')
  expectError(() => new Deployment({ ...manifest, spec: { ...manifest.spec, replicas: '3' } }).validate())
})
await check('no manifest has a field that does not exist', () => {
  const problems = compile(documents.map(({ manifest }) => manifest))
  if (problems !== '') throw new Error(problems)
})
await check('a field that does not exist is found', () => {
  const { manifest } = documents.find(({ manifest: { kind } }) => kind === 'PodDisruptionBudget')
  expectError(() => {
    const problems = compile([{ ...manifest, spec: { ...manifest.spec, maxUnavailabel: 1 } }])
    if (problems.includes('maxUnavailabel')) throw new Error(problems)
  })
})
await check('each selector finds the pods, and each probe a port', () => {
  const pods = documents.flatMap(({ manifest: { spec } }) => spec?.template ?? [])
  for (const { metadata, spec } of pods) {
    const [{ ports, livenessProbe, readinessProbe }] = spec.containers
    for (const { httpGet } of [livenessProbe, readinessProbe])
      if (!ports.some(({ name }) => name === httpGet.port)) throw new Error(`no port ${httpGet.port}`)
    for (const { manifest } of documents) {
      const selector =
        manifest.spec?.selector?.matchLabels ?? manifest.spec?.podSelector?.matchLabels ?? manifest.spec?.selector
      if (selector && selector.app !== metadata.labels.app) throw new Error(`${manifest.kind} selects ${selector.app}`)
    }
  }
})
console.log(`kubernetes: ${passed} passed, ${failed} failed, 0 skipped`)
process.exitCode = failed > 0 ? 1 : 0

/** What the compiler says about these objects, as values of the published types. */
function compile(manifests) {
  const packageFolder = dirname(createRequire(import.meta.url).resolve('kubernetes-models/package.json'))
  // Below the packages, so that the compiler finds them.
  const work = mkdtempSync(join(packageFolder, '..', '.kubernetes-'))
  try {
    const lines = manifests.map(
      (manifest, index) =>
        `const manifest${index}: import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind} = ${JSON.stringify(manifest)}`,
    )
    writeFileSync(join(work, 'manifests.ts'), `${lines.join('\n')}\n`)
    const tsc = resolve(here, '../node_modules/.bin/tsc')
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '', '--ignoreConfig']
    const { stdout } = spawnSync(tsc, [...flags, 'manifests.ts'], { cwd: work, encoding: 'utf8' })
    return stdout
  } finally {
    rmSync(work, { recursive: true })
  }
}

async function check(name, work) {
  try {
    await work()
    passed++
    console.log(`kubernetes ✓ ${name}`)
  } catch (error) {
    failed++
    console.log(`kubernetes ✗ ${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function expectError(work) {
  try {
    work()
  } catch {
    return
  }
  throw new Error('it was not found')
}
