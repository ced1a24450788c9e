// The plan of a user as a resource: whether plan mode is on, and the text of the plan.

export const PLAN_URI = 'scorpiox://plan'
