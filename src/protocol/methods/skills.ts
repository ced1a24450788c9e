// The Skills extension: skills/list, skills/get and resources/directory/read. A listing contains the digest of each
// file, so that hosts can verify what they approved.

import { Failure } from '../../lib/failure.js'
import type { JsonObject } from '../../lib/json.js'
import type { Skill, SkillFile } from '../../tools/skill.js'
import type { Exchange } from '../exchange.js'
import { pageOf } from '../paging.js'
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '../protocol-error.js'
import { memberText } from '../reply.js'
import type { Server } from '../server.js'
import { addressIn } from '../shelf.js'
import { LIST_CACHE, prepared, textParam, type Methods } from './method.js'

// Small, because every file of each listed skill is read.
const PAGE_SIZE = 50
const DIRECTORY = 'inode/directory'

async function list(server: Server, context: Exchange): Promise<string> {
  const { cursor } = context.params
  const { items, nextCursor } = pageOf(server.shelf.skills, ({ uri }) => uri, {
    list: 'skills',
    cursor,
    size: PAGE_SIZE,
  })
  const skills: JsonObject[] = []
  for (const skill of items) skills.push(...(await listSkill(skill, server, context)))
  return memberText({ skills, nextCursor })
}

/** Skips a skill that cannot be read, for example because it was just removed. */
async function listSkill(skill: Skill, server: Server, context: Exchange): Promise<readonly JsonObject[]> {
  const services = await openServices(skill, server)
  try {
    return [formatSkill(skill, await skill.files(context.toCall(), services))]
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

async function get(server: Server, context: Exchange): Promise<string> {
  const uri = textParam(context, 'uri')
  const skill = server.shelf.at(uri)
  if (!skill) throw new ProtocolError(INVALID_PARAMS, `Unknown skill: ${uri.slice(0, 500)}`, { uri })
  return memberText({ skill: formatSkill(skill, await readFiles(skill, server, context)) })
}

async function readDirectory(server: Server, context: Exchange): Promise<string> {
  const uri = textParam(context, 'uri')
  const folder = server.shelf.folder(uri)
  const children = folder ? listChildren(folder, await readDirectoryFiles(folder.skill, server, context)) : []
  if (children.length === 0) throw new ProtocolError(INVALID_PARAMS, `Not a directory: ${uri.slice(0, 500)}`, { uri })
  const options = { list: `directory ${uri}`, cursor: context.params.cursor, size: server.pageSize }
  const { items, nextCursor } = pageOf(children, (child) => child.uri, options)
  return memberText({ resources: items, nextCursor })
}

async function readFiles(skill: Skill, server: Server, context: Exchange): Promise<readonly SkillFile[] | undefined> {
  const services = await openServices(skill, server)
  try {
    return await skill.files(context.toCall(), services)
  } catch (error) {
    throw toProtocolError(error)
  }
}

async function readDirectoryFiles(skill: Skill, server: Server, context: Exchange): Promise<readonly DirectoryFile[]> {
  if (!skill.contents) return (await readFiles(skill, server, context)) ?? []
  const services = await openServices(skill, server)
  try {
    return await skill.contents(context.toCall(), services)
  } catch (error) {
    throw toProtocolError(error)
  }
}

async function openServices({ needs = [] }: Skill, server: Server): Promise<JsonObject> {
  try {
    return await server.services.open(needs)
  } catch (error) {
    throw toProtocolError(error)
  }
}

function toProtocolError(error: unknown): unknown {
  return error instanceof Failure ? new ProtocolError(INTERNAL_ERROR, error.message) : error
}

function formatSkill(skill: Skill, files: readonly SkillFile[] | undefined): JsonObject {
  const { uri, frontmatter } = skill
  const resources = files?.map(({ path, digest, size }) => ({ uri: addressIn(skill, path), digest, size }))
  return { uri, frontmatter, resources: resources ?? 'dynamic' }
}

type DirectoryFile = Omit<SkillFile, 'digest'>

interface DirectoryEntry {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string | undefined
  readonly size?: number
}

function listChildren(
  { skill, path }: { readonly skill: Skill; readonly path: string },
  files: readonly DirectoryFile[],
): readonly DirectoryEntry[] {
  const prefix = path === '' ? '' : `${path}/`
  const children = new Map<string, DirectoryEntry>()
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue
    const [name = '', ...rest] = file.path.slice(prefix.length).split('/')
    const uri = addressIn(skill, `${prefix}${name}`)
    const { size, mimeType } = file
    children.set(name, rest.length > 0 ? { uri, name, mimeType: DIRECTORY } : { uri, name, mimeType, size })
  }
  return [...children.values()]
}

export const LEGACY_SKILLS: Methods = {
  'skills/list': prepared(list),
  'skills/get': prepared(get),
  'resources/directory/read': prepared(readDirectory),
}

export const MODERN_SKILLS: Methods = {
  'skills/list': prepared(async (server, context) => `${await list(server, context)},${LIST_CACHE}`),
  'skills/get': prepared(async (server, context) => `${await get(server, context)},${LIST_CACHE}`),
  'resources/directory/read': prepared(
    async (server, context) => `${await readDirectory(server, context)},${LIST_CACHE}`,
  ),
}
