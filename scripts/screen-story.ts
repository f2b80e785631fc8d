import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentEvent, Driver } from '../src/agents/driver.ts'
import type { Bough } from '../src/bough.ts'
import type { Home } from '../src/home.ts'
import { openBough } from '../src/open-bough.ts'
import type { MessageID, SessionID } from '../src/tree/ids.ts'
import type { Json } from '../src/tree/message.ts'

// What the pictures show: a small project, and the conversations about it.

/** What an agent does in a turn: its steps, with what each gives; then it says something. */
interface Turn {
  readonly prompt: string
  readonly steps?: readonly Step[]
  readonly answer: string
}

type Step =
  | { readonly file: string; readonly text: string }
  | { readonly command: string; readonly output: string }

interface Chapter {
  readonly title: string
  /** The chapter that it was forked from, after so many of its turns; null for the first, and where that goes on. */
  readonly from: { readonly title: string; readonly afterTurn: number } | null
  readonly hoursAgo: number
  readonly turns: readonly Turn[]
}

const portions = `export function scale(amount: number, guests: number): number {
  return (amount / 4) * guests
}
`

const rounded = `/** An amount for four, for so many guests: in steps that a kitchen scale shows. */
export function scale(amount: number, guests: number, step = 5): number {
  return Math.round((amount * guests) / 4 / step) * step
}
`

const files: Readonly<Record<string, string>> = {
  'README.md': '# Recipes\n\nAmounts are for four.\n',
  'src/scale.ts': portions,
  'recipes/soup.md': '# Tomato soup\n\n1000 g tomatoes\n2 onions\n50 g butter\n',
}

const chapters: readonly Chapter[] = [
  {
    title: 'Scale recipes',
    from: null,
    hoursAgo: 75,
    turns: [
      {
        prompt: 'Seven guests: how does the soup recipe scale?',
        steps: [{ command: 'cat recipes/soup.md', output: files['recipes/soup.md'] ?? '' }],
        answer: 'For **seven**: 1750 g tomatoes, 3.5 onions, 87.5 g butter. Nobody weighs 87.5 g, though.',
      },
      {
        prompt: 'Then round to what a kitchen scale can show.',
        steps: [
          { file: 'src/scale.ts', text: rounded },
          { command: 'npm test', output: '✓ scale (3 tests)\n' },
        ],
        answer: [
          '`scale` rounds now, to steps of 5 g unless it is told otherwise:',
          '',
          '```ts',
          'scale(50, 7) // 90',
          'scale(50, 7, 1) // 88',
          '```',
          '',
          '- whole numbers only, as a scale shows them',
          '- the tests pass',
        ].join('\n'),
      },
    ],
  },
  {
    title: 'Fractions instead',
    from: { title: 'Scale recipes', afterTurn: 1 },
    hoursAgo: 51,
    turns: [
      {
        prompt: 'Show fractions: 3½ onions.',
        steps: [
          {
            file: 'src/fraction.ts',
            text: "export const fraction = (n: number): string => Math.floor(n) + (n % 1 === 0.5 ? '½' : '')\n",
          },
        ],
        answer: 'Halves are written as ½ now: *3½ onions*. Other fractions are cut off.',
      },
    ],
  },
  {
    title: 'Thirds and quarters, too',
    from: { title: 'Fractions instead', afterTurn: 1 },
    hoursAgo: 26,
    turns: [{ prompt: 'And ⅓ and ¼?', answer: 'Yes: the nearest of ¼, ⅓, ½, ⅔ and ¾ is taken.' }],
  },
  {
    title: 'Ask for the number of guests',
    from: { title: 'Scale recipes', afterTurn: 2 },
    hoursAgo: 3,
    turns: [
      { prompt: 'Could the program ask who comes?', answer: 'It could: one question, a number, done.' },
    ],
  },
  {
    title: 'Scale recipes',
    from: null,
    hoursAgo: 1,
    turns: [
      {
        prompt: 'What about things one counts, like onions?',
        answer:
          'Those need their own rule: **half an onion** is fine, half an egg is not. I would give each\ningredient a smallest piece: `0.5` for onions, `1` for eggs.',
      },
    ],
  },
]

/** Tells the whole story into a home; the sessions look as old as they say. */
export async function tellStory(home: Home, project: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) await put(project, path, text)
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project })
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'Recipes')
  const told = new Map<string, Told>()
  for (const chapter of chapters) {
    const clock = (): number => Date.now() - chapter.hoursAgo * 3_600_000
    const bough = await openBough(home, { clock, drivers: [teller(chapter.turns)] })
    const { id, ends } = told.get(chapter.title) ?? (await begin(bough, chapter, told, project))
    const all = [...ends]
    for (const { prompt } of chapter.turns) {
      const { outcome, reason } = await (await bough.send(id, prompt)).ended
      if (outcome !== 'finished') throw new Error(`"${prompt}" was ${outcome}: ${reason}`)
      all.push((await bough.messages(id, { limit: 1 })).at(-1)?.id)
    }
    told.set(chapter.title, { id, ends: all })
    await bough.close()
  }
}

/** A session of the story, with the last message of each of its turns. */
interface Told {
  readonly id: SessionID
  readonly ends: readonly (MessageID | undefined)[]
}

async function begin(
  bough: Bough,
  { title, from }: Chapter,
  told: ReadonlyMap<string, Told>,
  directory: string,
): Promise<Told> {
  const parent = from && told.get(from.title)
  if (!parent) return { id: (await bough.create({ title, agent: 'offline', directory })).id, ends: [] }
  const messageID = parent.ends[from.afterTurn - 1]
  const fork = await bough.fork(parent.id, { title, files: 'same', ...(messageID && { messageID }) })
  return { id: fork.id, ends: [] }
}

async function put(directory: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true })
  await writeFile(join(directory, path), text)
}

/** Does what the story says, for real where that changes a file. */
function teller(turns: readonly Turn[]): Driver {
  return {
    name: 'offline',
    capabilities: { history: 'line' },
    settings: [],
    shipped: async () => [],
    native: null,
    contextWindow: async () => null,
    check: async () => ({ installed: true, ready: true, detail: 'Tells a story.' }),
    close: async () => {},
    open: async ({ cwd }) => ({
      async *send(prompt): AsyncGenerator<AgentEvent> {
        const turn = turns.find((each) => prompt.includes(each.prompt))
        for (const [i, step] of (turn?.steps ?? []).entries()) {
          if ('file' in step) await put(cwd, step.file, step.text)
          const call = { callID: `${prompt} ${i}`, ...callOf(step) }
          yield { type: 'tool-call', ...call }
          yield { type: 'message-finished' }
          const { callID, name } = call
          const output = 'file' in step ? `Wrote ${step.file}.` : step.output
          yield { type: 'tool-result', callID, name, output, exitCode: 0 }
          yield { type: 'message-finished' }
        }
        yield { type: 'text', text: turn?.answer ?? '' }
        yield { type: 'message-finished' }
        yield { type: 'turn-finished', reason: 'done' }
      },
      close: async () => {},
    }),
  }
}

const callOf = (step: Step): { readonly name: string; readonly args: Json } =>
  'file' in step
    ? { name: 'write', args: { path: step.file, text: step.text } }
    : { name: 'run', args: { command: step.command } }
