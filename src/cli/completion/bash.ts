import type { Command } from '../command.ts'
import { optionNames, optionsWithValue, suggestedOptions, wordsFor } from './words.ts'

/** Only ids reach `compgen -W`, which would expand anything else as shell code. */
export function bashCompletion(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) options='${optionNames(command)}' valued='${optionsWithValue(command)}' words='${wordsFor(command)}'${valuesOf(command)} ;;`,
  )
  return `# bough completion for bash
_bough() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local options='' valued='' words='' values=''
  COMPREPLY=()
  # bash takes "=" for a word of its own, in --files=auto too.
  if [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $current == = ]]; then current=''; fi
  # bash takes "@" for the end of a word: ids come before it.
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    *) return ;;
  esac
  if [[ " $valued " == *" $previous "* ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ $words == sessions ]]; then
    COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion sessions "$current" 2>/dev/null | cut -f1)" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _bough bough
`
}

/** A case that sets the values of the option that stands before the word. */
function valuesOf(command: Command): string {
  const cases = suggestedOptions(command).map(
    ({ name, suggests }) => ` --${name}) values='${suggests.join(' ')}' ;;`,
  )
  return cases.length === 0 ? '' : `; case $previous in${cases.join('')} esac`
}
