// Loads a value on first use. All callers share one promise; a failed load is repeated by the next call.

/* @__NO_SIDE_EFFECTS__ */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
}
