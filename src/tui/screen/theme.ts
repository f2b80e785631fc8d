/** What a piece of text is: the theme decides how that looks. */
export type Tone =
  | 'plain'
  | 'strong'
  | 'dim'
  | 'accent'
  | 'person'
  | 'agent'
  | 'tool'
  | 'good'
  | 'bad'
  | 'warning'
  | 'link'
  | 'code'
  | 'quote'
  | 'heading'
  | 'italic'
  | 'underline'
  | 'struck'
  | 'added'
  | 'removed'
  | 'hunk'
  | 'keyword'
  | 'string'
  | 'comment'
  | 'number'
  | 'name'
  /** What the keys are on. */
  | 'selected'
  /** The tab that is shown, and the ones that are not. */
  | 'tab'
  | 'tabs'
  /** The bar of an open fork. */
  | 'fork'
  | 'found'

/** Paints text: one line, without styles of its own. */
export type Paint = (tone: Tone, text: string) => string

export interface Theme {
  readonly name: ThemeName
  readonly paint: Paint
}

/** `plain` has no colours, but still bold, dim and reverse. */
export type ThemeName = 'dark' | 'light' | 'plain'

type Codes = Readonly<Record<Tone, string>>

const colour = (index: number): string => `38;5;${index}`
const on = (index: number): string => `48;5;${index}`

const plain: Codes = {
  plain: '',
  strong: '1',
  dim: '2',
  accent: '1',
  person: '1',
  agent: '',
  tool: '2',
  good: '',
  bad: '1',
  warning: '1',
  link: '4',
  code: '',
  quote: '3',
  heading: '1',
  italic: '3',
  underline: '4',
  struck: '9',
  added: '',
  removed: '',
  hunk: '2',
  keyword: '1',
  string: '',
  comment: '2',
  number: '',
  name: '',
  selected: '7',
  tab: '7',
  tabs: '2',
  fork: '7',
  found: '7',
}

const dark: Codes = {
  ...plain,
  dim: colour(245),
  accent: colour(114),
  person: `1;${colour(117)}`,
  agent: colour(114),
  tool: colour(179),
  good: colour(114),
  bad: colour(210),
  warning: colour(221),
  link: `4;${colour(117)}`,
  code: colour(180),
  quote: `3;${colour(248)}`,
  heading: `1;${colour(114)}`,
  added: colour(114),
  removed: colour(210),
  hunk: colour(117),
  keyword: colour(176),
  string: colour(150),
  comment: colour(245),
  number: colour(216),
  name: colour(117),
  selected: `${on(238)};${colour(255)}`,
  tab: `1;${on(238)};${colour(255)}`,
  tabs: colour(245),
  fork: `${on(24)};${colour(255)}`,
  found: `${on(221)};${colour(16)}`,
}

const light: Codes = {
  ...plain,
  dim: colour(243),
  accent: colour(28),
  person: `1;${colour(25)}`,
  agent: colour(28),
  tool: colour(130),
  good: colour(28),
  bad: colour(160),
  warning: colour(130),
  link: `4;${colour(25)}`,
  code: colour(94),
  quote: `3;${colour(240)}`,
  heading: `1;${colour(28)}`,
  added: colour(28),
  removed: colour(160),
  hunk: colour(25),
  keyword: colour(90),
  string: colour(64),
  comment: colour(243),
  number: colour(130),
  name: colour(25),
  selected: `${on(254)};${colour(16)}`,
  tab: `1;${on(254)};${colour(16)}`,
  tabs: colour(243),
  fork: `${on(153)};${colour(16)}`,
  found: `${on(221)};${colour(16)}`,
}

const codes: Readonly<Record<ThemeName, Codes>> = { dark, light, plain }

export function createTheme(name: ThemeName): Theme {
  const tones = codes[name]
  return {
    name,
    paint: (tone, text) =>
      tones[tone] === '' || text === '' ? text : `\u001b[${tones[tone]}m${text}\u001b[0m`,
  }
}

/** What the person wants; `auto` leaves it to the terminal. */
export type ThemeChoice = ThemeName | 'auto'

/** Which theme a terminal gets; `isLight` is what it says of its background, undefined where it says nothing. */
export function themeFor(
  env: NodeJS.ProcessEnv,
  isLight: boolean | undefined,
  choice: ThemeChoice = 'auto',
): ThemeName {
  if (env.NO_COLOR || env.TERM === 'dumb') return 'plain'
  if (choice !== 'auto') return choice
  return (isLight ?? seemsLight(env)) ? 'light' : 'dark'
}

// Some terminals say which of the sixteen colours are the text and the background: `0;15`, `15;default;0`.
function seemsLight({ COLORFGBG = '' }: NodeJS.ProcessEnv): boolean {
  const background = COLORFGBG.split(';').at(-1) ?? ''
  return /^(?:7|9|1[0-5])$/.test(background)
}
