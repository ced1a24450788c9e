// Builds a copy of the program with other models, in dist/folds/, where it finds the packages that it needs.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'

import { SOURCE_CONDITIONS } from '../../scripts/source-conditions.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const EXTRACT = 'packages/server/src/features/documents/extract'
export const MODEL_DIR = new URL(`../../${EXTRACT}/classify/`, import.meta.url)

/** `models`: the source of each model module, by its file name. Returns the path of the program. */
export async function buildFold(models, fold) {
  const place = join(ROOT, 'dist', 'folds', String(fold))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  for (const name of readdirSync(join(ROOT, 'dist'))) {
    if (/^(?:(?:scorpiox-code|program)\.js|parts|sqlite|package\.json)$/.test(name))
      cpSync(join(ROOT, 'dist', name), join(place, name), { recursive: true })
  }
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const packages = Object.keys({ ...dependencies, ...optionalDependencies })
  const build = await rolldown({
    input: join(ROOT, EXTRACT, 'readers/worker.ts'),
    platform: 'node',
    tsconfig: false,
    resolve: { conditionNames: SOURCE_CONDITIONS },
    external: packages.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [{ name: 'models', load: (id) => models[basename(id)] ?? null }],
  })
  await build.write({ file: join(place, 'parts', 'extract-worker.js'), format: 'cjs', codeSplitting: false })
  await build.close()
  return join(place, 'scorpiox-code.js')
}
