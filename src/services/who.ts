// Whose call it is, and in which conversation: everything that is kept is kept by one or both.

/** Whose call it is, and in which conversation. */
export interface Who {
  readonly user: string
  readonly session: string
}
