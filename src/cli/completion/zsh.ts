import type { Command, Option } from '../command.ts'
import { optionsOf } from '../help.ts'
import { quoted, wordsFor } from './words.ts'

export function zshCompletion(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  const cases = commands.map((command) => `    ${command.name}) _arguments ${specsOf(command).join(' ')} ;;`)
  return `#compdef bough
# bough completion for zsh
_bough_sessions() {
  local -a sessions
  local line
  for line in "\${(@f)$(_call_program sessions bough completion sessions \${(q)PREFIX} 2>/dev/null)}"; do
    [[ -n $line ]] && sessions+=("\${line%%$'\\t'*}:\${line#*$'\\t'}")
  done
  _describe -V session sessions
}
_bough() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join('\n')}
  esac
}
compdef _bough bough
`
}

const specsOf = (command: Command): readonly string[] => [
  ...optionsOf(command).map(optionSpec),
  ...wordSpecs(command),
]

// In a spec, brackets and colons have a meaning of their own.
const escaped = (text: string): string => text.replace(/[[\]:\\]/g, (character) => `\\${character}`)

function optionSpec({ name, value, suggests, description }: Option): string {
  const takes =
    value === undefined ? '' : `:${value}:${suggests ? `(${suggests.join(' ')})` : filesFor(name, value)}`
  return quoted(`--${name}[${escaped(description)}]${takes}`)
}

const filesFor = (name: string, value: string): string =>
  name === 'dir' ? '_files -/' : value === 'FILE' ? '_files' : ''

function wordSpecs(command: Command): readonly string[] {
  const words = wordsFor(command)
  if (words === '') return []
  return [quoted(words === 'sessions' ? '*:session:_bough_sessions' : `1:value:(${words})`)]
}
