import { openRegularFile } from '../../read-regular-file.ts'
import type { AppServer } from './app-server.ts'
import { parseLine } from './lines.ts'
import { threadOf } from './stored-threads.ts'

/** Far more than what one step of a turn writes. */
const bytesToRead = 4 * 2 ** 20

/** What Codex has written down about one of the last calls of a thread, the newest first. */
export async function writtenAbout(
  server: AppServer,
  threadID: string,
  callID: string,
): Promise<readonly unknown[]> {
  const { path } = await threadOf(server, threadID)
  if (!path) return []
  const lines = (await endOf(path)).split('\n').reverse()
  return lines.filter((line) => line.includes(callID)).map(parseLine)
}

async function endOf(path: string): Promise<string> {
  const file = await openRegularFile(path)
  try {
    const { size } = await file.stat()
    const position = Math.max(0, size - bytesToRead)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - position), { position })
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}
