import type { Command } from 'commander'
import { switchApi } from '../actions/switches.ts'
import { answer, asOperator, type Context, onOrOff, withJson } from './context.ts'

export function apiCommand(program: Command, context: Context): void {
  withJson(program.command('api'))
    .description('turn the whole API on or off, on every instance, within 2 s')
    .argument('<on|off>', 'on or off', onOrOff)
    .action(async (isOn: boolean, options: { json?: true }) => {
      await asOperator(context, (by) => switchApi(by, isOn))
      answer(context, options, { api: isOn ? 'on' : 'off' }, `The API is ${isOn ? 'on' : 'off'}.`)
    })
}
