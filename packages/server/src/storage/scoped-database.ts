// Transactions over the data of one scope, that is one user in one project. The work gets typed tables, not SQL, and
// sees no other scope. An acknowledged write is durable.

export interface ScopedDatabase<R> {
  /** Runs `work` in a read transaction, which sees one snapshot. Throws a Failure if the database cannot be used. */
  read<T>(scope: Scope, work: (rows: R) => Promise<T>): Promise<T>
  /**
   * Runs `work` in a write transaction, which is rolled back if it throws. Writers of a scope are serialized across
   * processes.
   */
  write<T>(scope: Scope, work: (rows: R) => Promise<T>): Promise<T>
  /**
   * Calls the listener when a scope that was used here has changed, by this process or another. Returns a function
   * that removes the listener.
   */
  onChange(listener: (scope: Scope) => void): () => void
  /** Polls now for changes of other processes. */
  pollNow(): Promise<void>
  /** The projects in which this user has an open task, plan, question or callback, or a pending message. */
  listProjectsWithOpenItems(user: string): Promise<readonly string[]>
  /** The users with items in this project that wait for one of their sessions. */
  listUsersWithPendingItems(project: string): Promise<readonly string[]>
  close(): Promise<void>
}

/** A database that is opened on first use and shared. */
export interface LazyDatabase<R> {
  open(): Promise<ScopedDatabase<R>>
  /** Calls back once the database is open. */
  onOpen(listener: (database: ScopedDatabase<R>) => void): void
  close(): Promise<void>
}

export interface Scope {
  readonly project: string
  readonly user: string
}
