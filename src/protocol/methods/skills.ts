// The Skills extension: skills/list, skills/get and resources/directory/read. A listing says what each file of a skill
// must be, so that hosts can tell whether they were given what they approved of.

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

// Every file of each skill on a page is read.
const PAGE = 50
const DIRECTORY = 'inode/directory'

async function list(server: Server, exchange: Exchange): Promise<string> {
  const { cursor } = exchange.params
  const { items, nextCursor } = pageOf(server.shelf.skills, ({ uri }) => uri, { list: 'skills', cursor, size: PAGE })
  const skills: JsonObject[] = []
  for (const skill of items) skills.push(...(await listed(skill, server, exchange)))
  return memberText({ skills, nextCursor })
}

/** One that cannot be shown, as when it has just gone, does not take the others with it. */
async function listed(skill: Skill, server: Server, exchange: Exchange): Promise<readonly JsonObject[]> {
  const services = await servicesOf(skill, server)
  try {
    return [entryOf(skill, await skill.files(exchange.toCall(), services))]
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

async function get(server: Server, exchange: Exchange): Promise<string> {
  const uri = textParam(exchange, 'uri')
  const skill = server.shelf.at(uri)
  if (!skill) throw new ProtocolError(INVALID_PARAMS, `Unknown skill: ${uri.slice(0, 500)}`, { uri })
  return memberText({ skill: entryOf(skill, await filesOf(skill, server, exchange)) })
}

async function readDirectory(server: Server, exchange: Exchange): Promise<string> {
  const uri = textParam(exchange, 'uri')
  const found = server.shelf.folder(uri)
  const children = found ? childrenOf(found, await contentsOf(found.skill, server, exchange)) : []
  if (children.length === 0) throw new ProtocolError(INVALID_PARAMS, `Not a directory: ${uri.slice(0, 500)}`, { uri })
  const terms = { list: `directory ${uri}`, cursor: exchange.params.cursor, size: server.pageSize }
  const { items, nextCursor } = pageOf(children, (child) => child.uri, terms)
  return memberText({ resources: items, nextCursor })
}

async function filesOf(skill: Skill, server: Server, exchange: Exchange): Promise<readonly SkillFile[] | undefined> {
  const services = await servicesOf(skill, server)
  try {
    return await skill.files(exchange.toCall(), services)
  } catch (error) {
    throw said(error)
  }
}

async function contentsOf(skill: Skill, server: Server, exchange: Exchange): Promise<readonly Content[]> {
  if (!skill.contents) return (await filesOf(skill, server, exchange)) ?? []
  const services = await servicesOf(skill, server)
  try {
    return await skill.contents(exchange.toCall(), services)
  } catch (error) {
    throw said(error)
  }
}

async function servicesOf({ needs = [] }: Skill, server: Server): Promise<JsonObject> {
  try {
    return await server.services.open(needs)
  } catch (error) {
    throw said(error)
  }
}

function said(error: unknown): unknown {
  return error instanceof Failure ? new ProtocolError(INTERNAL_ERROR, error.message) : error
}

function entryOf(skill: Skill, files: readonly SkillFile[] | undefined): JsonObject {
  const { uri, frontmatter } = skill
  const resources = files?.map(({ path, digest, size }) => ({ uri: addressIn(skill, path), digest, size }))
  return { uri, frontmatter, resources: resources ?? 'dynamic' }
}

type Content = Omit<SkillFile, 'digest'>

interface Child {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string | undefined
  readonly size?: number
}

function childrenOf(
  { skill, path }: { readonly skill: Skill; readonly path: string },
  files: readonly Content[],
): readonly Child[] {
  const before = path === '' ? '' : `${path}/`
  const children = new Map<string, Child>()
  for (const file of files) {
    if (!file.path.startsWith(before)) continue
    const [name = '', ...rest] = file.path.slice(before.length).split('/')
    const uri = addressIn(skill, `${before}${name}`)
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
  'skills/list': prepared(async (server, exchange) => `${await list(server, exchange)},${LIST_CACHE}`),
  'skills/get': prepared(async (server, exchange) => `${await get(server, exchange)},${LIST_CACHE}`),
  'resources/directory/read': prepared(
    async (server, exchange) => `${await readDirectory(server, exchange)},${LIST_CACHE}`,
  ),
}
