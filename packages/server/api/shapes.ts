import { UserShape } from '@fivetab/domain/account.ts'
import { DeliveryShape } from '@fivetab/domain/delivery-shape.ts'
import { DispositionShape } from '@fivetab/domain/disposition.ts'
import { EventShape } from '@fivetab/domain/event-shape.ts'
import { CreateProjectShape, ProjectShape, UpdateProjectShape } from '@fivetab/domain/project.ts'
import { CreateStatusShape, StatusShape, UpdateStatusShape } from '@fivetab/domain/status.ts'
import { CreateStepShape, StepShape, UpdateStepShape } from '@fivetab/domain/step.ts'
import { CreateTaskShape, LaterShape, TaskShape, UpdateTaskShape } from '@fivetab/domain/task-shape.ts'
import { CreateWebhookShape, UpdateWebhookShape, WebhookShape, WebhookWithSecretShape } from '@fivetab/domain/webhook.ts'
import { CreateWorkflowShape, UpdateWorkflowShape, WorkflowShape, WorkflowWithStatusesShape } from '@fivetab/domain/workflow.ts'
import { DispositionList } from './dispositions.ts'
import { EventList, EventStream } from './events.ts'
import { ProblemShape } from './problem.ts'
import { ProjectList } from './projects.ts'
import { StatusList } from './statuses.ts'
import { StepList } from './steps.ts'
import { TaskList } from './tasks.ts'
import { DeliveryList, WebhookList } from './webhooks.ts'
import { WorkflowList } from './workflows.ts'

/** Every named shape: the components of the API's document. */
export const SHAPES = [
  ProblemShape,
  UserShape,
  DispositionShape,
  DispositionList,
  TaskShape,
  TaskList,
  CreateTaskShape,
  UpdateTaskShape,
  LaterShape,
  StepShape,
  StepList,
  CreateStepShape,
  UpdateStepShape,
  ProjectShape,
  ProjectList,
  CreateProjectShape,
  UpdateProjectShape,
  StatusShape,
  StatusList,
  CreateStatusShape,
  UpdateStatusShape,
  WorkflowShape,
  WorkflowList,
  WorkflowWithStatusesShape,
  CreateWorkflowShape,
  UpdateWorkflowShape,
  EventShape,
  EventList,
  EventStream,
  WebhookShape,
  WebhookList,
  WebhookWithSecretShape,
  CreateWebhookShape,
  UpdateWebhookShape,
  DeliveryShape,
  DeliveryList,
]
