// Where a client finds the tasks as a resource.

export const TASKS_URI = 'scorpiox://tasks'
