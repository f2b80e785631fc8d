import { type RunFiles, runFilesModes } from '../../tree/files-mode.ts'
import { UsageError } from '../usage-error.ts'

/** What a background run is to do about files, as it was typed. */
export function runFilesOf(typed: string | undefined): { readonly files?: RunFiles } {
  if (typed === undefined) return {}
  const files = runFilesModes.find((each) => each === typed)
  if (files) return { files }
  throw new UsageError(
    `--files of a background run must be one of ${runFilesModes.join(', ')}, not "${typed}".`,
  )
}
