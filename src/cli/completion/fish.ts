import type { Command } from '../command.ts'
import { optionsOf } from '../help.ts'
import { wordsFor } from './words.ts'

export function fishCompletion(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const used = `-n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`
    const options = optionsOf(command).map(
      ({ name, short, value, suggests, description }) =>
        `complete -c bough ${used} -l ${name}${short ? ` -s ${short}` : ''}${value === undefined ? '' : ' -r'}${suggests ? ` -f -a ${quoted(suggests.join(' '))}` : ''} -d ${quoted(description)}`,
    )
    const words = wordsFor(command)
    const offered = words === 'sessions' ? '(bough completion sessions (commandline -ct) 2>/dev/null)' : words
    return [
      `complete -c bough -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
      ...options,
      ...(words === '' ? [] : [`complete -c bough ${used} -f -a ${quoted(offered)}`]),
    ]
  })
  return `# bough completion for fish\n${lines.join('\n')}\n`
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`
