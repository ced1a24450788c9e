// Where a client finds jobs as resources.

export const JOBS_URI = 'scorpiox://jobs'

export function uriOf(id: number): string {
  return `${JOBS_URI}/${id}`
}
