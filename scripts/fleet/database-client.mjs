// Reads and prepares the database from outside of the program: each query on a connection of its own, with time limits.

import pg from 'pg'

export function connectDatabase(connectionString) {
  return {
    /** Resolves to the rows. */
    async query(text, values) {
      const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000, query_timeout: 30_000 })
      client.on('error', () => {})
      await client.connect()
      try {
        const results = await client.query(text, values)
        return Array.isArray(results) ? results.at(-1).rows : results.rows
      } finally {
        await client.end()
      }
    },
  }
}
