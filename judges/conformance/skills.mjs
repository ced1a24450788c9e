// The fixture's skills: one with a folder in it, and one that is a SKILL.md only. Their files are resources.
import { createHash } from 'node:crypto'
import { defineResource, defineSkill, defineTemplate } from '../../dist/library.mjs'

const fixtures = [
  skill('test-commit-messages', 'Write commit messages as this project wants them', {
    'references/examples.md': '# Examples\n\nSay why, not what.\n',
    'references/regional/eu.md': '# Europe\n\nAs everywhere.\n',
    'scripts/check.sh': '#!/bin/sh\nexit 0\n',
  }),
  skill('test-greeting', 'Greet the user', {}),
]

export const skills = fixtures.map(({ name, uri, frontmatter, files }) =>
  defineSkill({
    name,
    uri,
    frontmatter,
    files: () => Object.entries(files).map(([path, text]) => digested(path, text)),
  }),
)

export const skillResources = fixtures.map(({ name, uri, frontmatter: { description }, files }) =>
  defineResource({ uri, name, description, mimeType: 'text/markdown', read: () => files['SKILL.md'] }),
)

export const skillFiles = defineTemplate({
  uriTemplate: 'skill://{name}/{+path}',
  name: 'skill-file',
  description: 'A file of a skill.',
  read: ({ name, path }) => fixtures.find((fixture) => fixture.name === name)?.files[path],
})

function skill(name, description, more) {
  const frontmatter = { name, description, metadata: { version: '1.0.0' } }
  const manifest = `---\nname: ${name}\ndescription: ${description}\nmetadata:\n  version: "1.0.0"\n---\n\n# ${name}\n`
  return { name, uri: `skill://${name}/SKILL.md`, frontmatter, files: { 'SKILL.md': manifest, ...more } }
}

function digested(path, text) {
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  return {
    path,
    digest,
    size: Buffer.byteLength(text),
    mimeType: path.endsWith('.md') ? 'text/markdown' : 'text/plain',
  }
}
