import type { Disposition, Tab, Tabs } from '@fivetab/domain/disposition.ts'
import type { Reader, Writer } from './store.ts'

/** The tabs that the account has changed. */
export async function tabsOf(reader: Reader, accountId: string): Promise<Tabs> {
  const rows = await reader.all<Tab & { disposition: Disposition }>('select disposition, label, color from tabs where account_id = $1', [
    accountId,
  ])
  return new Map(rows.map(({ disposition, label, color }) => [disposition, { label, color }]))
}

export async function saveTab(writer: Writer, accountId: string, disposition: Disposition, { label, color }: Tab): Promise<void> {
  await writer.put(
    `insert into tabs (account_id, disposition, label, color) values ($1, $2, $3, $4)
     on conflict (account_id, disposition) do update set label = excluded.label, color = excluded.color`,
    [accountId, disposition, label, color],
  )
}
