import { type RunFiles, runFilesModes } from './files-mode.ts'

/** What follows "/run": the prompt, and before it perhaps what the run is to do about files. */
export function runWish(typed: string): { readonly prompt: string; readonly files?: RunFiles } {
  const [, mode, prompt = ''] = /^--files[ =](\S+)\s*(.*)$/s.exec(typed) ?? []
  const files = runFilesModes.find((each) => each === mode)
  return files ? { prompt, files } : { prompt: typed }
}
