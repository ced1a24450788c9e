// Resource URIs of jobs.

export const JOBS_URI = 'scorpiox://jobs'

export function uriOf(id: number): string {
  return `${JOBS_URI}/${id}`
}
