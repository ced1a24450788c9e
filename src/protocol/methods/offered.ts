// Tells which methods a server supports.

import type { Server } from '../server.js'

/** Whether the server's definition includes what a method is about; otherwise the method does not exist. */
export function isOffered(server: Server, method: string): boolean {
  const { library, changing } = server
  if (method === 'resources/directory/read') return server.hasSkills
  switch (method.slice(0, method.indexOf('/'))) {
    case 'tools':
      return server.hasTools
    case 'resources':
      return library.hasResources || changing.resources
    case 'prompts':
      return library.hasPrompts || changing.prompts
    case 'completion':
      return library.hasCompletions
    case 'logging':
      return server.logging
    case 'skills':
      return server.hasSkills
    case 'tasks':
      return server.defers
    default:
      return true
  }
}
