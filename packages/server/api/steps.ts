import { ref } from '@fivetab/domain/shape.ts'
import { CreateStepShape, StepShape, stepToWire, UpdateStepShape } from '@fivetab/domain/step.ts'
import { addStep, getStep, listSteps, removeStep, updateStepOf } from '../actions/steps.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { operation, stepPath, taskPath } from './operation.ts'
import { listOf, wholeList } from './pages.ts'
import { sendGone, sendMadeStep } from './reply.ts'
import { conditionsOf } from './request.ts'

const tag = 'Steps'

export const StepList = listOf(StepShape)

export function stepRoutes(api: Api): void {
  api.get(
    '/tasks/:id/steps',
    operation({
      id: 'listSteps',
      summary: 'List the steps of a task',
      description: 'In order, whole: the Today Statuses of the task’s Workflow, or its own checklist when it is on none.',
      tag,
      scope: 'tasks:read',
      params: taskPath,
      replies: { 200: { description: 'All steps of the task.', shape: StepList } },
      problems: ['not_found'],
    }),
    async (request) => wholeList((await listSteps(actorOf(request), request.params.id)).map(stepToWire)),
  )

  api.post(
    '/tasks/:id/steps',
    operation({
      id: 'createStep',
      summary: 'Add a step to a checklist',
      description: 'At the end; only for a task on no Workflow, at most 100. The first step replaces a whole-task time estimate.',
      tag,
      scope: 'tasks:write',
      params: taskPath,
      body: ref(CreateStepShape),
      headers: ['Idempotency-Key'],
      replies: {
        201: { description: 'The new step.', shape: StepShape },
        200: { description: 'The step that an earlier request with this key created.', shape: StepShape },
      },
      problems: ['not_found'],
    }),
    async (request, reply) =>
      sendMadeStep(reply, await addStep(actorOf(request), request.params.id, request.body, conditionsOf(request).onceKey)),
  )

  api.get(
    '/tasks/:id/steps/:step_id',
    operation({
      id: 'getStep',
      summary: 'Read a step',
      description: 'One step of the task: by its own id, or by that of its Status.',
      tag,
      scope: 'tasks:read',
      params: stepPath,
      replies: { 200: { description: 'The step.', shape: StepShape } },
      problems: ['not_found'],
    }),
    async (request) => stepToWire(await getStep(actorOf(request), request.params.id, request.params.step_id)),
  )

  api.patch(
    '/tasks/:id/steps/:step_id',
    operation({
      id: 'updateStep',
      summary: 'Tick, untick, rename, time or move a step',
      description:
        'Ticking the step of the Status that a task in Today stands on, or any while it stands on none, moves the task to its next open step. Minutes change the task’s estimate to the sum of its steps.',
      tag,
      scope: 'tasks:write',
      params: stepPath,
      body: ref(UpdateStepShape),
      replies: { 200: { description: 'The step as it is now.', shape: StepShape } },
      problems: ['not_found'],
    }),
    async (request) => stepToWire(await updateStepOf(actorOf(request), request.params.id, request.params.step_id, request.body)),
  )

  api.delete(
    '/tasks/:id/steps/:step_id',
    operation({
      id: 'deleteStep',
      summary: 'Remove a step from a checklist',
      description: 'A step that comes from the task’s Workflow cannot be removed.',
      tag,
      scope: 'tasks:write',
      params: stepPath,
      replies: { 204: { description: 'It is gone.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => {
      await removeStep(actorOf(request), request.params.id, request.params.step_id)
      return sendGone(reply)
    },
  )
}
