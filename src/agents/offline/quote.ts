import { onOneLine } from '../../tree/text.ts'

const longest = 200

export const phrase = (text: string): string => onOneLine(text, longest)

export const quote = (text: string): string => `“${phrase(text)}”`
