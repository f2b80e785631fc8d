import type { KeyId } from '@earendil-works/pi-tui'

// Everything that a key can do, by name: the help, the palette and the person's own keys are made from this table.

/** Where the keys of an action count. `anywhere` comes last: what is open takes its keys first. */
export type Scope =
  | 'anywhere'
  | 'composer'
  | 'backtrack'
  | 'list'
  | 'form'
  | 'choices'
  | 'tree'
  | 'compare'
  | 'approval'
  | 'runs'
  | 'search'
  | 'reading'

export interface Action {
  readonly scope: Scope
  readonly keys: readonly KeyId[]
  readonly about: string
  /** Not in the palette: it means something only where its keys count. */
  readonly isLocal?: boolean
}

const local = { isLocal: true } as const

const tabNumber = { scope: 'anywhere', about: 'Go to a tab by its number, 9 for the last', ...local } as const

const tabNumbers = {
  'tab.go1': { ...tabNumber, keys: ['alt+1'] },
  'tab.go2': { ...tabNumber, keys: ['alt+2'] },
  'tab.go3': { ...tabNumber, keys: ['alt+3'] },
  'tab.go4': { ...tabNumber, keys: ['alt+4'] },
  'tab.go5': { ...tabNumber, keys: ['alt+5'] },
  'tab.go6': { ...tabNumber, keys: ['alt+6'] },
  'tab.go7': { ...tabNumber, keys: ['alt+7'] },
  'tab.go8': { ...tabNumber, keys: ['alt+8'] },
  'tab.go9': { ...tabNumber, keys: ['alt+9'] },
} as const satisfies Readonly<Record<string, Action>>

export const actions = {
  'palette.open': { scope: 'anywhere', keys: ['ctrl+p'], about: 'Command palette' },
  'help.open': { scope: 'anywhere', keys: ['f1'], about: 'Help: all keys' },
  'fork.dialog': { scope: 'anywhere', keys: ['alt+shift+f', 'f5'], about: 'Fork session …' },
  'tree.open': { scope: 'anywhere', keys: ['ctrl+t'], about: 'Session tree' },
  'compare.open': { scope: 'anywhere', keys: [], about: 'Compare this session with another …' },
  'runs.open': { scope: 'anywhere', keys: ['f6'], about: 'Background runs' },
  'updates.open': { scope: 'anywhere', keys: ['f7'], about: 'Pending updates' },
  'approvals.open': { scope: 'anywhere', keys: ['f8'], about: 'What agents ask' },
  'reply.open': { scope: 'anywhere', keys: ['f4'], about: 'Reply to something a fork said …' },
  'buttons.open': { scope: 'anywhere', keys: ['f9'], about: 'Click a button that an agent sent …' },
  'updates.clear': { scope: 'anywhere', keys: [], about: 'Forget the pending updates …' },
  'search.open': { scope: 'anywhere', keys: ['ctrl+f'], about: 'Search in the transcript' },
  'fork.save': { scope: 'anywhere', keys: ['alt+s'], about: 'End the fork: save it as main' },
  'fork.report': { scope: 'anywhere', keys: ['alt+r'], about: 'End the fork: report a summary to main' },
  'fork.discard': { scope: 'anywhere', keys: ['alt+x'], about: 'End the fork: discard it' },
  'tab.new': { scope: 'anywhere', keys: ['alt+n'], about: 'New session in a new tab' },
  'tab.next': { scope: 'anywhere', keys: ['ctrl+pageDown', 'alt+.'], about: 'Next tab' },
  'tab.previous': { scope: 'anywhere', keys: ['ctrl+pageUp', 'alt+,'], about: 'Previous tab' },
  ...tabNumbers,
  'tab.close': { scope: 'anywhere', keys: ['alt+w'], about: 'Close the tab (its session stays)' },
  'tools.toggle': { scope: 'anywhere', keys: ['ctrl+o'], about: 'Open or fold tool calls and reasoning' },
  'undo.restore': { scope: 'anywhere', keys: [], about: 'Take back the last restore of files' },
  'keys.open': { scope: 'anywhere', keys: [], about: 'Names of actions, for keys of your own' },
  'app.suspend': { scope: 'anywhere', keys: ['ctrl+z'], about: 'Suspend; "fg" in the shell comes back' },
  'app.quit': { scope: 'anywhere', keys: ['ctrl+q'], about: 'Quit' },

  'scroll.pageUp': { scope: 'anywhere', keys: ['pageUp'], about: 'Scroll up a page' },
  'scroll.pageDown': { scope: 'anywhere', keys: ['pageDown'], about: 'Scroll down a page' },
  'scroll.up': { scope: 'anywhere', keys: ['ctrl+up', 'shift+up'], about: 'Scroll up' },
  'scroll.down': { scope: 'anywhere', keys: ['ctrl+down', 'shift+down'], about: 'Scroll down' },
  'scroll.top': { scope: 'anywhere', keys: ['ctrl+home', 'alt+t'], about: 'Go to the beginning' },
  'scroll.end': { scope: 'anywhere', keys: ['ctrl+end', 'alt+e'], about: 'Go to the end' },

  'composer.escape': {
    scope: 'composer',
    keys: ['escape'],
    about: 'Interrupt the turn; else clear the line; else look back',
    ...local,
  },
  'composer.interrupt': {
    scope: 'composer',
    keys: ['ctrl+c'],
    about: 'Interrupt the turn; else clear the line; twice on an empty one: quit',
    ...local,
  },
  'composer.help': { scope: 'composer', keys: ['?'], about: 'Help, on an empty line', ...local },
  'composer.end': { scope: 'composer', keys: ['ctrl+d'], about: 'Quit, on an empty line', ...local },

  'backtrack.back': { scope: 'backtrack', keys: ['escape'], about: 'One message back', ...local },
  'backtrack.up': { scope: 'backtrack', keys: ['up', 'k'], about: 'The message before', ...local },
  'backtrack.down': { scope: 'backtrack', keys: ['down', 'j'], about: 'The next message', ...local },
  'backtrack.pageUp': { scope: 'backtrack', keys: ['pageUp'], about: 'Several messages back', ...local },
  'backtrack.pageDown': { scope: 'backtrack', keys: ['pageDown'], about: 'Several messages on', ...local },
  'backtrack.first': { scope: 'backtrack', keys: ['home'], about: 'The first message', ...local },
  'backtrack.last': { scope: 'backtrack', keys: ['end'], about: 'The newest message', ...local },
  'backtrack.own': { scope: 'backtrack', keys: ['u'], about: 'Back to your own message before', ...local },
  'backtrack.open': { scope: 'backtrack', keys: ['o', 'space'], about: 'Open or fold tool steps', ...local },
  'backtrack.fork': { scope: 'backtrack', keys: ['enter'], about: 'Fork here', ...local },
  'backtrack.dialog': {
    scope: 'backtrack',
    keys: ['f'],
    about: 'Fork here, with the fork dialog',
    ...local,
  },
  'backtrack.leave': { scope: 'backtrack', keys: ['q', 'ctrl+c'], about: 'Leave, nothing changed', ...local },

  'list.up': { scope: 'list', keys: ['up', 'ctrl+k'], about: 'Up', ...local },
  'list.down': { scope: 'list', keys: ['down', 'ctrl+j'], about: 'Down', ...local },
  'list.pageUp': { scope: 'list', keys: ['pageUp'], about: 'A page up', ...local },
  'list.pageDown': { scope: 'list', keys: ['pageDown'], about: 'A page down', ...local },
  'list.first': { scope: 'list', keys: ['home'], about: 'The first', ...local },
  'list.last': { scope: 'list', keys: ['end'], about: 'The last', ...local },
  'list.choose': { scope: 'list', keys: ['enter'], about: 'Choose', ...local },
  'list.close': { scope: 'list', keys: ['escape', 'ctrl+c'], about: 'Close', ...local },

  'form.next': { scope: 'form', keys: ['tab', 'down'], about: 'The next field', ...local },
  'form.previous': { scope: 'form', keys: ['shift+tab', 'up'], about: 'The field before', ...local },
  'form.left': { scope: 'form', keys: ['left'], about: 'The choice before', ...local },
  'form.right': { scope: 'form', keys: ['right'], about: 'The next choice', ...local },
  'form.submit': { scope: 'form', keys: ['enter'], about: 'Do it', ...local },
  'form.close': { scope: 'form', keys: ['escape', 'ctrl+c'], about: 'Close', ...local },

  'choices.up': { scope: 'choices', keys: ['up'], about: 'The choice above, or the field before', ...local },
  'choices.down': {
    scope: 'choices',
    keys: ['down'],
    about: 'The choice below, or the next field',
    ...local,
  },

  'approval.allow': { scope: 'approval', keys: ['a'], about: 'Allow it, once', ...local },
  'approval.allowSession': {
    scope: 'approval',
    keys: ['s'],
    about: 'Allow what the button names, in this session',
    ...local,
  },
  'approval.allowAlways': {
    scope: 'approval',
    keys: ['l'],
    about: 'Allow what the button names, always',
    ...local,
  },
  'approval.allowEvery': {
    scope: 'approval',
    keys: ['e'],
    about: 'Allow all that the tool does, in this session',
    ...local,
  },
  'approval.deny': { scope: 'approval', keys: ['d'], about: 'Deny it', ...local },
  'approval.left': { scope: 'approval', keys: ['left'], about: 'The answer before', ...local },
  'approval.right': { scope: 'approval', keys: ['right', 'tab'], about: 'The next answer', ...local },
  'approval.confirm': {
    scope: 'approval',
    keys: ['enter'],
    about: 'Give the answer that is chosen',
    ...local,
  },
  'approval.later': { scope: 'approval', keys: ['escape', 'ctrl+c'], about: 'Leave it for later', ...local },
  'approval.up': { scope: 'approval', keys: ['up'], about: 'Up', ...local },
  'approval.down': { scope: 'approval', keys: ['down'], about: 'Down', ...local },

  'runs.look': { scope: 'runs', keys: ['ctrl+o'], about: 'Look at the run, in a tab', ...local },
  'runs.stop': { scope: 'runs', keys: ['ctrl+x'], about: 'Stop the run', ...local },

  'tree.up': { scope: 'tree', keys: ['up', 'k'], about: 'Up', ...local },
  'tree.down': { scope: 'tree', keys: ['down', 'j'], about: 'Down', ...local },
  'tree.pageUp': { scope: 'tree', keys: ['pageUp'], about: 'A page up', ...local },
  'tree.pageDown': { scope: 'tree', keys: ['pageDown'], about: 'A page down', ...local },
  'tree.first': { scope: 'tree', keys: ['home'], about: 'The first session', ...local },
  'tree.last': { scope: 'tree', keys: ['end'], about: 'The last session', ...local },
  'tree.fold': { scope: 'tree', keys: ['left', '-'], about: 'Fold its forks; else to its parent', ...local },
  'tree.unfold': { scope: 'tree', keys: ['right', '+'], about: 'Show what is folded', ...local },
  'tree.foldAll': { scope: 'tree', keys: ['z'], about: 'Fold all trees, or none', ...local },
  'tree.parent': { scope: 'tree', keys: ['p'], about: 'Go to the session it was forked from', ...local },
  'tree.show': { scope: 'tree', keys: ['enter'], about: 'Open it in a tab', ...local },
  'tree.fork': { scope: 'tree', keys: ['f'], about: 'Fork from it, with the fork dialog', ...local },
  'tree.mark': { scope: 'tree', keys: ['space'], about: 'Mark it; the second one is compared', ...local },
  'tree.compare': { scope: 'tree', keys: ['c'], about: 'Compare it with the marked one, or yours', ...local },
  'tree.filter': { scope: 'tree', keys: ['/'], about: 'Show only sessions with these words', ...local },
  'tree.kind': { scope: 'tree', keys: ['t'], about: 'Show only one kind, the next', ...local },
  'tree.agent': { scope: 'tree', keys: ['g'], about: 'Show only one agent, the next', ...local },
  'tree.rename': { scope: 'tree', keys: ['r'], about: 'Rename it', ...local },
  'tree.label': { scope: 'tree', keys: ['l'], about: 'Change its labels', ...local },
  'tree.archive': { scope: 'tree', keys: ['a'], about: 'Archive it, or take it back', ...local },
  'tree.archived': { scope: 'tree', keys: ['v'], about: 'Show or hide what is archived', ...local },
  'tree.projects': { scope: 'tree', keys: ['e'], about: 'Show all projects, or this one', ...local },
  'tree.close': { scope: 'tree', keys: ['escape', 'q', 'ctrl+c'], about: 'Show all; else close', ...local },

  'compare.left': { scope: 'compare', keys: ['left'], about: 'Choose the left session', ...local },
  'compare.right': { scope: 'compare', keys: ['right'], about: 'Choose the right session', ...local },
  'compare.files': { scope: 'compare', keys: ['tab'], about: 'Their files, or what was said', ...local },
  'compare.main': { scope: 'compare', keys: ['p'], about: 'Make the chosen one main of this tab', ...local },
  'compare.show': { scope: 'compare', keys: ['enter'], about: 'Open the chosen one in a tab', ...local },
  'compare.up': { scope: 'compare', keys: ['up', 'k'], about: 'Up', ...local },
  'compare.down': { scope: 'compare', keys: ['down', 'j'], about: 'Down', ...local },
  'compare.pageUp': { scope: 'compare', keys: ['pageUp', 'b'], about: 'A page up', ...local },
  'compare.pageDown': { scope: 'compare', keys: ['pageDown', 'space'], about: 'A page down', ...local },
  'compare.first': { scope: 'compare', keys: ['home'], about: 'The beginning', ...local },
  'compare.last': { scope: 'compare', keys: ['end'], about: 'The end', ...local },
  'compare.close': { scope: 'compare', keys: ['escape', 'q', 'ctrl+c'], about: 'Close', ...local },

  'search.next': { scope: 'search', keys: ['enter', 'ctrl+g', 'up'], about: 'The match before it', ...local },
  'search.previous': {
    scope: 'search',
    keys: ['shift+enter', 'ctrl+shift+g', 'down'],
    about: 'Back to the newer match',
    ...local,
  },
  'search.close': { scope: 'search', keys: ['escape', 'ctrl+c'], about: 'Close', ...local },

  'reading.up': { scope: 'reading', keys: ['up', 'k'], about: 'Up', ...local },
  'reading.down': { scope: 'reading', keys: ['down', 'j'], about: 'Down', ...local },
  'reading.pageUp': { scope: 'reading', keys: ['pageUp', 'b'], about: 'A page up', ...local },
  'reading.pageDown': { scope: 'reading', keys: ['pageDown', 'space'], about: 'A page down', ...local },
  'reading.first': { scope: 'reading', keys: ['home', 'g'], about: 'The beginning', ...local },
  'reading.last': { scope: 'reading', keys: ['end', 'shift+g'], about: 'The end', ...local },
  'reading.close': { scope: 'reading', keys: ['escape', 'q', 'enter', 'ctrl+c'], about: 'Close', ...local },
} as const satisfies Readonly<Record<string, Action>>

export type ActionName = keyof typeof actions

type OfScope<Name extends ActionName, Wanted extends Scope> = (typeof actions)[Name]['scope'] extends Wanted
  ? Name
  : never

/** What a panel does, or looking back: all that does not count anywhere, or at the composer. */
export type PlacedAction = {
  [Name in ActionName]: OfScope<Name, Exclude<Scope, 'anywhere' | 'composer'>>
}[ActionName]

export const actionNames = Object.keys(actions).filter((name): name is ActionName => name in actions)

export const actionOf = (name: ActionName): Action => actions[name]
