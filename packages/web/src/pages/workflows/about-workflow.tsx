import { tidy } from '@fivetab/domain/text.ts'
import type { UpdateWorkflow, WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import { useChange } from '../../board/board-context.tsx'
import { isInConflict } from '../../board/conflicts.ts'
import { DESCRIPTION_MAX, NAME_MAX } from '../../board/text-lengths.ts'
import { editWorkflow, WORKFLOW } from '../../board/workflow-changes.ts'
import { Section } from '../../components/section.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Keeper } from '../task/drafts.ts'
import { useTextProblem } from '../task/use-text-problem.ts'
import { EmojiField } from './emoji-field.tsx'
import { TypedField } from './typed-field.tsx'

/** What a Workflow is called and what it is for, each changed where it stands. */
export function AboutWorkflow({ workflow }: { workflow: WorkflowWithStatusesWire }) {
  const { workflows } = useTexts()
  const change = useChange()
  const nameProblem = useTextProblem(NAME_MAX, workflows.nameNeeded)
  const descriptionProblem = useTextProblem(DESCRIPTION_MAX)

  async function store(field: 'name' | 'description', fields: UpdateWorkflow): Promise<boolean> {
    return (await change(editWorkflow(workflow, fields))) || isInConflict(WORKFLOW.lane(workflow.id), field)
  }

  const name: Keeper = { tidied: tidy, problemWith: nameProblem, store: (text) => store('name', { name: text }) }
  const description: Keeper = {
    tidied: tidy,
    problemWith: descriptionProblem,
    store: (text) => store('description', { description: text || null }),
  }

  return (
    <Section title={workflows.details}>
      <TypedField field={`${workflow.id} name`} label={workflows.name} shown={workflow.name} keeper={name} />
      <EmojiField value={workflow.emoji} onChange={(emoji) => void change(editWorkflow(workflow, { emoji }))} />
      <TypedField
        field={`${workflow.id} description`}
        label={workflows.description}
        shown={workflow.description ?? ''}
        keeper={description}
        hasLines
      />
    </Section>
  )
}
