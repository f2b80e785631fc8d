import type { ForkSeed } from '../tree/fork-seed.ts'
import type { SeedID, SessionID } from '../tree/ids.ts'
import type { Usage } from '../tree/usage.ts'
import type { Queries } from './engine.ts'

export interface ForkSeedReader {
  /** The newest of a session. */
  of(sessionID: SessionID): Promise<ForkSeed | null>
}

export interface ForkSeedTable extends ForkSeedReader {
  /** From now on it is the session's seed. */
  insert(seed: ForkSeed): Promise<void>
  /** It is being sent, as it was built just now. */
  begin(id: SeedID, built: Pick<ForkSeed, 'sha256' | 'tokens' | 'window' | 'leftOut'>): Promise<void>
  end(id: SeedID, state: 'sent' | 'failed', how: Pick<ForkSeed, 'hidden' | 'usage'>): Promise<void>
  /** Whoever was sending one, or was to, does so no more. */
  giveUp(sessionID: SessionID): Promise<void>
  removeOf(sessionID: SessionID): Promise<void>
}

export const forkSeedTable = (db: Queries): ForkSeedTable => ({
  async of(sessionID) {
    const row = await db.get<SeedRow>(
      `SELECT f.id, f.session_id AS "sessionID", f.agent, f.parent_id AS "parentID",
              f.parent_workspace_id AS "parentWorkspaceID", f.why, f.sha256, f.tokens, f.context_window AS "window",
              f.left_out AS "leftOut", f.state, f.hidden, f.usage, f.created
         FROM sessions s JOIN fork_seeds f ON f.id = s.fork_seed_id WHERE s.id = :sessionID`,
      { sessionID },
    )
    return row ? toSeed(row) : null
  },

  async insert({ hidden, usage, ...seed }) {
    await db.run(
      `INSERT INTO fork_seeds (id, session_id, agent, parent_id, parent_workspace_id, why, sha256, tokens,
                               context_window, left_out, state, hidden, usage, created)
       VALUES (:id, :sessionID, :agent, :parentID, :parentWorkspaceID, :why, :sha256, :tokens, :window, :leftOut,
               :state, :hidden, :usage, :created)`,
      { ...seed, hidden: hidden ? 1 : 0, usage: usageJson(usage) },
    )
    await db.run('UPDATE sessions SET fork_seed_id = :id WHERE id = :sessionID', {
      id: seed.id,
      sessionID: seed.sessionID,
    })
  },

  async begin(id, built) {
    await db.run(
      `UPDATE fork_seeds SET state = 'sending', sha256 = :sha256, tokens = :tokens, context_window = :window,
              left_out = :leftOut WHERE id = :id`,
      { id, ...built },
    )
  },

  async end(id, state, { hidden, usage }) {
    await db.run('UPDATE fork_seeds SET state = :state, hidden = :hidden, usage = :usage WHERE id = :id', {
      id,
      state,
      hidden: hidden ? 1 : 0,
      usage: usageJson(usage),
    })
  },

  async giveUp(sessionID) {
    await db.run(
      `UPDATE fork_seeds SET state = 'failed' WHERE session_id = :sessionID AND state IN ('waiting', 'sending')`,
      { sessionID },
    )
  },

  async removeOf(sessionID) {
    await db.run('DELETE FROM fork_seeds WHERE session_id = :sessionID', { sessionID })
  },
})

type SeedRow = Omit<ForkSeed, 'hidden' | 'usage'> & { readonly hidden: number; readonly usage: string | null }

const toSeed = ({ hidden, usage, ...row }: SeedRow): ForkSeed => ({
  ...row,
  hidden: hidden === 1,
  usage: usage === null ? null : JSON.parse(usage),
})

const usageJson = (usage: Usage | null): string | null => (usage ? JSON.stringify(usage) : null)
