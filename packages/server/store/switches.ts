import type { Writer } from './store.ts'

export async function setApiSwitch(writer: Writer, isOn: boolean): Promise<void> {
  await writer.put("update switches set is_on = $1 where name = 'api'", [Number(isOn)])
}
