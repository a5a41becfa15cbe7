/** The names that a step's fields have among all fields of the page, those in which drafts are kept. */

export const nameField = (taskId: string, stepId: string) => `${taskId} ${stepId} name`
export const minutesField = (taskId: string, stepId: string) => `${taskId} ${stepId} minutes`

export function stepFields(taskId: string, stepId: string): string[] {
  return [nameField(taskId, stepId), minutesField(taskId, stepId)]
}
