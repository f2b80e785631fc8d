import { personsWords } from '../src/agents/claude/persons-words.ts'
import { typedCommand } from '../src/agents/codex/command-line.ts'
import { failureOf } from '../src/agents/codex/failure.ts'
import { parsePrompt } from '../src/agents/offline/instructions.ts'
import { countWords, inPieces } from '../src/agents/offline/words.ts'
import { closed } from '../src/discord/stream/code-fence.ts'
import { saysSomething, split } from '../src/discord/stream/split.ts'
import { withoutMark } from '../src/discord/stream/unfinished.ts'
import { codeBlock as discordCode } from '../src/discord/views/code-block.ts'
import { aside, cutTo } from '../src/discord/views/limits.ts'
import { codeBlock, codeSpan, literal, quote } from '../src/tree/document/fences.ts'
import { standsAlone } from '../src/tree/document/stands-alone.ts'
import { cellsOf, cutToCells } from '../src/tree/drawn/cells.ts'
import { plainLine, plainText, visibleText } from '../src/tree/plain-text.ts'
import { messageParts, quoted, toldAndWords, wishIn } from '../src/tree/prompts.ts'
import { slugOf } from '../src/tree/slug.ts'
import { onOneLine, sentence, storable } from '../src/tree/text.ts'
import { forkTitle, titleFromPrompt } from '../src/tree/title.ts'
import { createTheme } from '../src/tui/screen/theme.ts'
import { isDiff } from '../src/tui/transcript/diff-lines.ts'
import { createHighlight } from '../src/tui/transcript/highlight.ts'
import { markdownLines } from '../src/tui/transcript/markdown.ts'
import { isAcknowledgement } from '../src/turns/seed/seed.ts'
import { escaped } from '../src/turns/seed/transcript.ts'
import { isSeedText } from '../src/turns/seed/without-seed.ts'

const theme = createTheme('dark')
const highlight = createHighlight()

/** Whatever a text of an agent or a person goes through before it is stored, shown or sent. */
export const textCleaners: Readonly<Record<string, (text: string) => unknown>> = {
  plainText,
  plainLine,
  visibleText,
  storable,
  onOneLine: (text) => onOneLine(text, 60),
  sentence,
  titleFromPrompt,
  forkTitle,
  slugOf,
  cellsOf,
  cutToCells: (text) => cutToCells(text, 80),
  messageParts,
  toldAndWords,
  wishIn: (text) => wishIn([{ type: 'context', text }]),
  quoted,
  codeBlock,
  codeSpan,
  literal,
  quote,
  standsAlone,
  'the Markdown of the terminal UI': (text) => markdownLines(text, 80, theme, highlight),
  isDiff,
  'messages for Discord': split,
  closed,
  saysSomething,
  withoutMark,
  discordCode: (text) => discordCode(text, 1900),
  aside,
  cutTo: (text) => cutTo(text, 2000),
  escaped,
  isSeedText,
  isAcknowledgement,
  parsePrompt,
  countWords,
  inPieces,
  typedCommand,
  failureOf: (message) => failureOf({ message }),
  personsWords: (text) => personsWords([{ type: 'text', text }]),
}
