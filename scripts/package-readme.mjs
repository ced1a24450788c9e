// Changes the links of the README of @scorpiox/mcp from docs/ of the repository to docs/ of the package, or back with `restore`.
// npm runs it in packages/mcp before and after it packs. The registry shows the README of the repository, with its links.

import { readFileSync, writeFileSync } from 'node:fs'

const [from, to] = process.argv[2] === 'restore' ? ['](docs/', '](../../docs/'] : ['](../../docs/', '](docs/']
writeFileSync('README.md', readFileSync('README.md', 'utf8').replaceAll(from, to))
