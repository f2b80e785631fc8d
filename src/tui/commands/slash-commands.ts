import { plainLine } from '../../tree/plain-text.ts'
import { runWish } from '../../tree/run-wish.ts'
import type { ActionName } from '../keys/actions.ts'
import type { Tab } from '../tab/tab.ts'

/** What a line that begins with "/" asks for. */
export interface SlashCommand {
  readonly name: string
  readonly usage: string
  readonly about: string
  run(tab: Tab, argument: string): void
}

const performs =
  (name: ActionName) =>
  (tab: Tab): void =>
    tab.ui.perform(name)

export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'fork',
    usage: '/fork [topic]',
    about: 'Open a side conversation; a topic is its first message',
    run: (tab, topic) => tab.talking.say({ kind: 'fork', ...(topic !== '' && { topic }) }),
  },
  { name: 'save', usage: '/save', about: 'End the fork: it becomes main', run: performs('fork.save') },
  {
    name: 'report',
    usage: '/report [text]',
    about: 'End the fork: main is told that, or a summary',
    run: (tab, text) =>
      tab.ui.attempt(async () => (await import('../side-forks/end-fork.ts')).endFork(tab, 'report', text)),
  },
  { name: 'exit', usage: '/exit', about: 'End the fork: nothing returns', run: performs('fork.discard') },
  {
    name: 'put-back',
    usage: '/put-back',
    about: 'Put the files back that the fork which ended last has changed',
    run: (tab) => tab.ui.attempt(async () => (await import('../side-forks/put-back.ts')).putBack(tab)),
  },
  {
    name: 'branch',
    usage: '/branch',
    about: 'Fork the session, with the fork dialog',
    run: performs('fork.dialog'),
  },
  {
    name: 'run',
    usage: '/run <text>',
    about: 'Let that run in the background; after --files worktree in a worktree',
    run: (tab, typed) => {
      const { prompt, ...wish } = runWish(typed)
      if (prompt === '') return tab.ui.tell('Say what is to run: /run <text>', 'warning')
      tab.ui.attempt(async () => {
        const { id } = tab.place.channel
        await tab.talking.orGiveBack(`/run ${typed}`, () => tab.ui.bough.runBackground(id, prompt, wish))
        tab.ui.tell(`That runs in the background. ${tab.ui.keys.wordsFor('runs.open')} shows how it goes.`)
      })
    },
  },
  {
    name: 'runs',
    usage: '/runs',
    about: 'Background runs',
    run: performs('runs.open'),
  },
  {
    name: 'updates',
    usage: '/updates [clear]',
    about: 'What forks reported and main is not told; or forget it',
    run: (tab, what) => tab.ui.perform(what === 'clear' ? 'updates.clear' : 'updates.open'),
  },
  {
    name: 'reply',
    usage: '/reply [text]',
    about: 'Go on with what a fork said last, or with another that you choose',
    run: (tab, text) => {
      if (text === '') return tab.ui.perform('reply.open')
      tab.ui.attempt(async () => (await import('../side-forks/reply-list.ts')).replyToNewest(tab, text))
    },
  },
  {
    name: 'click',
    usage: '/click [number]',
    about: 'Click a button of the newest card; or choose one',
    run: (tab, number) => {
      if (number === '') return tab.ui.perform('buttons.open')
      tab.ui.attempt(async () => (await import('../side-forks/buttons.ts')).clickButton(tab, number))
    },
  },
  {
    name: 'approvals',
    usage: '/approvals',
    about: 'What agents ask',
    run: performs('approvals.open'),
  },
  {
    name: 'tree',
    usage: '/tree',
    about: 'The session tree',
    run: performs('tree.open'),
  },
  {
    name: 'compare',
    usage: '/compare [session]',
    about: 'Compare this session with another, by its id or from the tree',
    run: (tab, typed) => {
      if (typed === '') return tab.ui.perform('compare.open')
      tab.ui.openSoon('compare.open', async () => {
        const { id } = await tab.ui.bough.findSession(typed)
        const { comparePanel } = await import('../compare/compare.ts')
        if (id === tab.session.id) throw new Error('That is this session itself. Name another.')
        return comparePanel(tab.ui, tab.session.id, id)
      })
    },
  },
  {
    name: 'search',
    usage: '/search [text]',
    about: 'Search in the transcript',
    run: ({ ui }, query) =>
      ui.openSoon(
        'search.open',
        async () => new (await import('../search/search-panel.ts')).SearchPanel(ui, query),
      ),
  },
  {
    name: 'title',
    usage: '/title <text>',
    about: 'Rename the session',
    run: (tab, title) => {
      if (title === '') return tab.ui.tell('Say how it is called: /title <text>', 'warning')
      tab.ui.attempt(() => tab.ui.bough.change(tab.session.id, { title }))
    },
  },
  {
    name: 'model',
    usage: '/model <name>',
    about: 'The model of this session, from its next turn on',
    run: (tab, model) => {
      if (model === '') return tab.ui.tell('Say which: /model <name>', 'warning')
      tab.ui.attempt(() => tab.ui.bough.change(tab.session.id, { model }))
    },
  },
  {
    name: 'new',
    usage: '/new',
    about: 'A new session in a new tab',
    run: performs('tab.new'),
  },
  {
    name: 'undo',
    usage: '/undo [finish]',
    about: 'Take back the last restore of files; or finish one that was cut off',
    run: (tab, what) => {
      if (what !== 'finish') return tab.ui.perform('undo.restore')
      tab.ui.attempt(async () => (await import('../fork-dialog/undo-restore.ts')).finishRestore(tab.ui, tab))
    },
  },
  { name: 'close', usage: '/close', about: 'Close the tab; its session stays', run: performs('tab.close') },
  {
    name: 'keys',
    usage: '/keys',
    about: 'Names of actions, for keys of your own',
    run: performs('keys.open'),
  },
  { name: 'help', usage: '/help', about: 'All keys and commands', run: performs('help.open') },
  { name: 'quit', usage: '/quit', about: 'Quit; forks stay open', run: performs('app.quit') },
]

/** Says what was typed, or does what it asks for. */
export function submit(tab: Tab, text: string): void {
  // What has another slash is a path.
  const [, name, argument = ''] = /^\/([^\s/]*)(?:\s+(.*))?$/s.exec(text) ?? []
  const command = slashCommands.find((each) => each.name === name)
  if (name === undefined) tab.talking.send(text)
  else if (command) {
    // What it needs can be typed right there.
    if (argument.trim() === '' && command.usage.includes('<')) tab.composer.text = `/${name} `
    command.run(tab, argument.trim())
  } else {
    tab.composer.text = text
    tab.ui.tell(`There is no command "/${plainLine(name)}"; nothing was sent. /help lists them.`, 'warning')
  }
}
