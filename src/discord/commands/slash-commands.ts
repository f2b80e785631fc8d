import type { CommandLook, SlashCommand as Given } from '../port.ts'
import { endFork, fork, interrupt, open } from './deeds.ts'
import type { Desk } from './desk.ts'
import { routines, sessions, tree, updates } from './lists.ts'

export interface SlashCommand extends CommandLook {
  run(desk: Desk, given: Given): Promise<void>
}

/** Every command that Discord offers behind "/". */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'fork',
    summary: 'Open a side conversation; a topic is its first message',
    argument: { name: 'topic', summary: 'What it is about', isRequired: false },
    run: fork,
  },
  { name: 'save', summary: 'End the fork: it becomes the main conversation', run: endFork('save') },
  {
    name: 'report',
    summary: 'End the fork: the main conversation is told a summary',
    run: endFork('report'),
  },
  { name: 'exit', summary: 'End the fork: nothing returns', run: endFork('discard') },
  { name: 'interrupt', summary: 'Stop what the agent does now', run: interrupt },
  { name: 'tree', summary: 'The tree around this conversation', staysInView: true, run: tree },
  { name: 'sessions', summary: 'The newest sessions', staysInView: true, run: sessions },
  {
    name: 'open',
    summary: 'Make another session the main conversation here',
    argument: { name: 'session', summary: 'Its id, as /sessions shows it', isRequired: true },
    run: open,
  },
  {
    name: 'updates',
    summary: 'What forks reported and the main conversation has not been told',
    staysInView: true,
    run: updates,
  },
  { name: 'routines', summary: 'Routines and reminders', staysInView: true, run: routines },
]
