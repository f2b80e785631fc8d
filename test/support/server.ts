import { onTestFinished } from 'vitest'
import type { Bough } from '../../src/bough.ts'
import { connect } from '../../src/client/connect.ts'
import type { Home } from '../../src/home.ts'
import { type BoughOptions, openBough } from '../../src/open-bough.ts'
import { type RunningServer, type ServeOptions, serve } from '../../src/server/serve.ts'

export interface TestServer extends RunningServer {
  readonly token: string
  /** What it serves. */
  readonly bough: Bough
  /** What went wrong in it that is nobody's fault but its own. */
  readonly faults: readonly unknown[]
}

type Settings = Partial<Omit<ServeOptions, 'token' | 'home'>> & { readonly bough?: BoughOptions }

/** A server in this process, on a port of its own; stopped when the test is over. */
export async function serveForTest(
  home: Home & { readonly project: string },
  { bough: boughOptions, ...settings }: Settings = {},
): Promise<TestServer> {
  const token = crypto.randomUUID()
  const faults: unknown[] = []
  const bough = await openBough(home, boughOptions)
  const server = await serve(bough, {
    home,
    host: '127.0.0.1',
    port: 0,
    token: { value: token, file: null },
    isPublic: false,
    names: [],
    workspaces: [home.project],
    turns: 64,
    grace: 0,
    version: '0.0.0',
    onFault: (error) => void faults.push(error),
    ...settings,
  })
  onTestFinished(() => server.stop())
  return { ...server, token, bough, faults }
}

/** A client of it; closed when the test is over. */
export async function connectForTest({ url, token }: Pick<TestServer, 'url' | 'token'>): Promise<Bough> {
  const bough = await connect({ url, token })
  onTestFinished(() => bough.close())
  return bough
}
