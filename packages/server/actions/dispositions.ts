import {
  type Disposition,
  type DispositionWire,
  dispositionToWire,
  patchTab,
  type Tabs,
  type UpdateDisposition,
} from '@fivetab/domain/disposition.ts'
import { formerValues } from '@fivetab/domain/event.ts'
import { saveTab, tabsOf } from '../store/tabs.ts'
import { type Actor, requireScope, write } from './actor.ts'
import { record } from './record.ts'

/** What the account has made of its tabs. Whoever is let in may know. */
export function listTabs(by: Actor): Promise<Tabs> {
  return tabsOf(by.store, by.accountId)
}

/** Gives a tab another label or colour. The Disposition stays what it is. */
export function updateDisposition(by: Actor, key: Disposition, input: UpdateDisposition): Promise<DispositionWire> {
  requireScope(by, 'tasks:write')
  return write(by, async (tx) => {
    const before = (await tabsOf(tx, by.accountId)).get(key)
    const after = patchTab(key, before, input)
    const [former, data] = [dispositionToWire(key, before), dispositionToWire(key, after)]
    if (former.label === data.label && former.color === data.color) return former
    await saveTab(tx, by.accountId, key, after)
    await record(tx, by, 'disposition.updated', JSON.stringify(data), formerValues(former, data))
    return data
  })
}
