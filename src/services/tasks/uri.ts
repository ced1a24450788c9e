// The open tasks of a user as a resource, with their open steps. Subscribers are notified of every change.

export const TASKS_URI = 'scorpiox://tasks'
