import type { Readable } from 'node:stream'

/** Calls back with every line. Unlike readline it knows one end of a line only: JSON may hold the other ones as they are. */
export function onLine(stream: Readable, take: (line: string) => void): void {
  const pieces: string[] = []
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const [rest = '', ...more] = text.split('\n')
    pieces.push(rest)
    for (const next of more) {
      const line = pieces.splice(0).join('')
      pieces.push(next)
      if (line.trim() !== '') take(line)
    }
  })
}

/** What a line says; null for one that is no JSON. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
