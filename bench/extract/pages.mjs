// The pages of the WCXB set, as it lies unpacked in a folder: HTML, address, kind of page and what should be read from it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export const HOW_TO_GET_IT = `The pages are not part of this repository. Get them once, into any folder:
  git clone https://github.com/Murrough-Foley/web-content-extraction-benchmark wcxb
  npm run bench:extract -- wcxb
(or set WCXB_DIR to that folder). The annotations are CC-BY-4.0; the pages belong to those who wrote them.`

export function isSet(folder) {
  return existsSync(join(folder, 'dev', 'html')) && existsSync(join(folder, 'dev', 'ground-truth'))
}

export function idsOf(folder, split) {
  return readdirSync(join(folder, split, 'ground-truth'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .sort()
}

export function readPage(folder, split, id) {
  const truth = JSON.parse(readFileSync(join(folder, split, 'ground-truth', `${id}.json`), 'utf8'))
  const html = gunzipSync(readFileSync(join(folder, split, 'html', `${id}.html.gz`)))
  const named = truth._internal?.page_type?.primary ?? truth._internal?.page_type ?? 'article'
  return {
    id,
    url: truth.url || 'https://example.com/',
    bytes: new Uint8Array(html),
    type: named === 'category' ? 'collection' : named,
    reference: truth.ground_truth?.main_content ?? '',
  }
}
