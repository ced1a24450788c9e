// Where a client finds the plan as a resource.

export const PLAN_URI = 'scorpiox://plan'
