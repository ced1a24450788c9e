// Handles the methods of the Skills extension: skills/list, skills/get and resources/directory/read. A listing contains
// the digest of each file, so that hosts can verify what they approved. Loaded by optional-methods. Reads files only
// through the definitions of the skills.

import type { SkillDefinition, SkillFileEntry } from '../definitions/skill.js'
import { echo, Failure, INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import { paginate } from '../registry/paging.js'
import { skillFileUri } from '../registry/skill-registry.js'
import { RequestCallContext, type RequestContext } from '../request/request-context.js'
import type { McpServer } from '../server/mcp-server.js'
import { LIST_CACHE_MEMBERS, type MethodTable, requireStringParam, withRefreshedLists } from './method.js'

// Small, because every file of each listed skill is read.
const PAGE_SIZE = 50
const DIRECTORY = 'inode/directory'

async function list(server: McpServer, context: RequestContext): Promise<string> {
  const { cursor } = context.params
  const { items, nextCursor } = paginate(server.skillRegistry.skills, ({ uri }) => uri, {
    list: 'skills',
    cursor,
    size: PAGE_SIZE,
  })
  const skills: JsonObject[] = []
  for (const skill of items) skills.push(...(await listSkill(skill, server, context)))
  return stringifyMembers({ skills, nextCursor })
}

/** Skips a skill that cannot be read, for example because it was just removed. */
async function listSkill(
  skill: SkillDefinition,
  server: McpServer,
  context: RequestContext,
): Promise<readonly JsonObject[]> {
  const services = await openServices(skill, server)
  try {
    return [formatSkill(skill, await skill.files(new RequestCallContext(context), services))]
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

async function get(server: McpServer, context: RequestContext): Promise<string> {
  const uri = requireStringParam(context, 'uri')
  const skill = server.skillRegistry.findByUri(uri)
  if (!skill) throw new ProtocolError(INVALID_PARAMS, `Unknown skill: ${echo(uri)}`, { uri })
  return stringifyMembers({ skill: formatSkill(skill, await readFiles(skill, server, context)) })
}

async function readDirectory(server: McpServer, context: RequestContext): Promise<string> {
  const uri = requireStringParam(context, 'uri')
  const folder = server.skillRegistry.findFolder(uri)
  const children = folder ? listChildren(folder, await readDirectoryFiles(folder.skill, server, context)) : []
  if (children.length === 0) throw new ProtocolError(INVALID_PARAMS, `Not a directory: ${echo(uri)}`, { uri })
  const options = { list: `directory ${uri}`, cursor: context.params.cursor, size: server.pageSize }
  const { items, nextCursor } = paginate(children, (child) => child.uri, options)
  return stringifyMembers({ resources: items, nextCursor })
}

async function readFiles(
  skill: SkillDefinition,
  server: McpServer,
  context: RequestContext,
): Promise<readonly SkillFileEntry[] | undefined> {
  const services = await openServices(skill, server)
  try {
    return await skill.files(new RequestCallContext(context), services)
  } catch (error) {
    throw toProtocolError(error)
  }
}

async function readDirectoryFiles(
  skill: SkillDefinition,
  server: McpServer,
  context: RequestContext,
): Promise<readonly DirectoryFile[]> {
  if (!skill.listFiles) return (await readFiles(skill, server, context)) ?? []
  const services = await openServices(skill, server)
  try {
    return await skill.listFiles(new RequestCallContext(context), services)
  } catch (error) {
    throw toProtocolError(error)
  }
}

async function openServices({ services = [] }: SkillDefinition, server: McpServer): Promise<JsonObject> {
  try {
    return await server.services.open(services)
  } catch (error) {
    throw toProtocolError(error)
  }
}

function toProtocolError(error: unknown): unknown {
  return error instanceof Failure ? new ProtocolError(INTERNAL_ERROR, error.message) : error
}

function formatSkill(skill: SkillDefinition, files: readonly SkillFileEntry[] | undefined): JsonObject {
  const { uri, frontmatter } = skill
  const resources = files?.map(({ path, digest, size }) => ({ uri: skillFileUri(skill, path), digest, size }))
  return { uri, frontmatter, resources: resources ?? 'dynamic' }
}

type DirectoryFile = Omit<SkillFileEntry, 'digest'>

interface DirectoryEntry {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string | undefined
  readonly size?: number
}

function listChildren(
  { skill, path }: { readonly skill: SkillDefinition; readonly path: string },
  files: readonly DirectoryFile[],
): readonly DirectoryEntry[] {
  const prefix = path === '' ? '' : `${path}/`
  const children = new Map<string, DirectoryEntry>()
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue
    const [name = '', ...rest] = file.path.slice(prefix.length).split('/')
    const uri = skillFileUri(skill, `${prefix}${name}`)
    const { size, mimeType } = file
    children.set(name, rest.length > 0 ? { uri, name, mimeType: DIRECTORY } : { uri, name, mimeType, size })
  }
  return [...children.values()]
}

export const LEGACY_SKILLS: MethodTable = {
  'skills/list': withRefreshedLists(list),
  'skills/get': withRefreshedLists(get),
  'resources/directory/read': withRefreshedLists(readDirectory),
}

export const MODERN_SKILLS: MethodTable = {
  'skills/list': withRefreshedLists(async (server, context) => `${await list(server, context)},${LIST_CACHE_MEMBERS}`),
  'skills/get': withRefreshedLists(async (server, context) => `${await get(server, context)},${LIST_CACHE_MEMBERS}`),
  'resources/directory/read': withRefreshedLists(
    async (server, context) => `${await readDirectory(server, context)},${LIST_CACHE_MEMBERS}`,
  ),
}
