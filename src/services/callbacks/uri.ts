// Where a client finds its callbacks as a resource.

export const CALLBACKS_URI = 'scorpiox://callbacks'
