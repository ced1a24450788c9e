// The active callbacks and pending messages of a session as a resource.

export const CALLBACKS_URI = 'scorpiox://callbacks'
