import { bough } from './bough.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { opencode } from './opencode.ts'
import type { Peer } from './peer.ts'
import { pi } from './pi.ts'

/** Whom all others are compared with comes first. */
export const peers: readonly [Peer, ...(readonly Peer[])] = [bough, opencode, claude, codex, pi]
