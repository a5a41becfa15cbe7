import { setApiSwitch } from '../store/switches.ts'
import type { Operator } from './operator.ts'

/** Turns the whole API on or off, on every instance. */
export function switchApi(by: Operator, isOn: boolean): Promise<void> {
  return by.store.transact((writer) => setApiSwitch(writer, isOn))
}
