/** How long the name of a project, a Workflow or a Status may be, and the description of the first two, in characters. */
export const NAME_MAX = 200
export const DESCRIPTION_MAX = 2_000
/** The same of the notes of a task, and of the name of a step. */
export const NOTES_MAX = 20_000
export const STEP_NAME_MAX = 500
