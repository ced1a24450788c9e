// Formats the public API as text: every exported name of `scorpiox-code` with its declaration, then the declarations it
// refers to. Read from dist/types, without comments and private members, in alphabetical order, so that a diff of the text
// is a change of the API.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { parseAst } from 'rolldown/parseAst'

/** Returns the report for the declarations reachable from this file. */
export function apiReport(entry) {
  const modules = new Map()
  const open = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file))
    return modules.get(file)
  }
  const exported = [...open(resolve(entry)).exports.keys()].map((name) => shown(name, find(open, entry, name)))
  const reached = reach(open, exported)
  return [
    '# The public API',
    '',
    'Written by `npm run generate` from the declarations of the library. A difference here is a change that people who use',
    'it will notice: read it, and give it a line in the changelog. What each name is for is said in [library.md](library.md).',
    '',
    '## What can be imported',
    '',
    '```ts',
    blocks(exported),
    '```',
    '',
    '## What those are made of',
    '',
    '```ts',
    blocks(reached),
    '```',
    '',
  ].join('\n')
}

/** Declared under the exported name if its own name differs. */
function shown(name, place) {
  const { id, declarations = [{ id }] } = place.node
  const isRenamed = declarations.every((declared) => declared.id.name !== name)
  const text = isRenamed ? `${place.text}\nexport { ${declarations[0].id.name} as ${name} }` : place.text
  return { ...place, name, text }
}

/** All declarations of the package that the given ones refer to, directly or indirectly. */
function reach(open, exported) {
  const key = ({ file, node }) => `${file}:${node.start}`
  const seen = new Set(exported.map(key))
  const found = []
  const waiting = [...exported]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const { file, name } of referencesIn(next.node, open(next.file), next.file)) {
      const place = find(open, file, name)
      if (!place || seen.has(key(place))) continue
      seen.add(key(place))
      found.push({ name, ...place })
      waiting.push({ name, ...place })
    }
  }
  return found
}

/** Finds the declaration of a name, in this file or in the module it is imported from. */
function find(open, file, name) {
  const path = resolve(file)
  const module = open(path)
  const from = module.exports.get(name) ?? module.imports.get(name)
  if (from?.file) return find(open, from.file, from.name)
  const node = module.declarations.get(from?.name ?? name)
  return node && { file: path, node, text: textOf(node, module.text) }
}

function readModule(file) {
  const text = readFileSync(file, 'utf8')
  const module = { text, declarations: new Map(), imports: new Map(), exports: new Map() }
  for (const statement of parseAst(text, { lang: 'dts' }, file).body) {
    const { type, declaration, specifiers = [], source } = statement
    const origin = source && sourceFile(source.value, file)
    if (type === 'ImportDeclaration') {
      for (const { imported, local } of specifiers) {
        if (origin && imported) module.imports.set(local.name, { file: origin, name: imported.name })
      }
    } else if (type === 'ExportNamedDeclaration' && declaration) {
      for (const name of declare(module, declaration)) module.exports.set(name, { name })
    } else if (type === 'ExportNamedDeclaration') {
      for (const { local, exported } of specifiers)
        module.exports.set(exported.name, { name: local.name, file: origin })
    } else if (type.startsWith('Export')) {
      throw new Error(`${file}: the API report does not know ${type}`)
    } else declare(module, statement)
  }
  return module
}

function declare({ declarations }, node) {
  const names = node.type === 'VariableDeclaration' ? node.declarations.map(({ id }) => id.name) : [node.id?.name]
  for (const name of names) {
    const known = declarations.get(name)
    // Overloads of a function stay together.
    if (name && known)
      declarations.set(name, { ...node, start: known.start, parts: [...(known.parts ?? [known]), node] })
    else if (name) declarations.set(name, node)
  }
  return names
}

function sourceFile(specifier, file) {
  return specifier.startsWith('.') ? resolve(dirname(file), specifier.replace(/\.js$/, '.d.ts')) : undefined
}

/** The names and inline imports that a declaration refers to. */
function referencesIn(node, module, file) {
  const found = []
  visit(node, (each) => {
    if (each.type === 'Identifier' && (module.imports.has(each.name) || module.declarations.has(each.name))) {
      found.push({ file, name: each.name })
    }
    if (each.type === 'TSImportType') {
      const origin = sourceFile(each.source?.value ?? each.argument?.literal?.value ?? '', file)
      if (origin && each.qualifier?.name) found.push({ file: origin, name: each.qualifier.name })
    }
  })
  return found
}

/** The text of a declaration without comments, private members and redundant keywords. */
function textOf(node, source) {
  if (node.parts) return node.parts.map((part) => textOf(part, source)).join('\n')
  const cuts = []
  visit(node, (each) => {
    if (isPrivate(each)) cuts.push([each.start, each.end])
  })
  let text = ''
  let at = node.start
  for (const [start, end] of cuts) {
    text += source.slice(at, start)
    at = end
  }
  return (
    (text + source.slice(at, node.end))
      .replace(/\/\*[^]*?\*\//g, '')
      .replace(/^(export )?declare /, '')
      // File paths are not part of the API.
      .replace(/import\(['"]\.[^)]*\)\./g, '')
      .replace(/[ \t]+$/gm, '')
      .replace(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2))
      .replace(/\n+/g, '\n')
  )
}

function isPrivate({ type, key, accessibility }) {
  return (
    (type === 'PropertyDefinition' || type === 'MethodDefinition') &&
    (key.type === 'PrivateIdentifier' || accessibility === 'private')
  )
}

function visit(node, look) {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const each of node) visit(each, look)
    return
  }
  if (typeof node.type === 'string') {
    look(node)
    if (isPrivate(node)) return
  }
  for (const [key, value] of Object.entries(node)) {
    // The name of a member is not a reference.
    const isName = (key === 'key' || key === 'property') && !node.computed
    if (!isName) visit(value, look)
  }
}

function blocks(found) {
  return found
    .map(({ name, text }) => ({ name, text }))
    .sort((one, other) => compare(one.name, other.name) || compare(one.text, other.text))
    .map(({ text }) => text)
    .join('\n\n')
}

function compare(one, other) {
  return one < other ? -1 : Number(one > other)
}
