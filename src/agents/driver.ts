import type { ZodObject } from 'zod'
import type { AgentCheck } from '../tree/agent-check.ts'
import type { ProjectPart } from '../tree/directory-trust.ts'
import type { SessionID } from '../tree/ids.ts'
import type { Json, Message } from '../tree/message.ts'
import type { NativeMessage, NativeSession } from '../tree/native.ts'
import type { Usage } from '../tree/usage.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

/**
 * One kind of agent, as the same few verbs and the same events as every other. A driver never writes to the
 * store and knows nothing of how forks begin and end.
 */
export interface Driver {
  readonly name: string
  readonly capabilities: Capabilities
  /**
   * Names of the files and directories in a project that it takes settings from, wherever they lie there. What writes these could
   * have it run anything: no agent does without asking.
   */
  readonly settings: readonly string[]
  /** What a project ships that the agent would load when it is opened in `cwd`; `root` is the project's top. Both are real paths. */
  shipped(root: string, cwd: string): Promise<readonly ProjectPart[]>
  /** The sessions that it keeps by itself, also those that began in its own tool; null where it keeps none. */
  readonly native: NativeSessions | null
  /** How many tokens a session of it holds; null for any number. */
  contextWindow(model: string | null): Promise<number | null>
  /** Rejects with the code `native_missing` where the session to resume, or the entry to fork at, is not there. */
  open(options: OpenOptions): Promise<Connection>
  /** Is it installed, is it signed in, and what to do if not. */
  check(): Promise<AgentCheck>
  /** Ends what its connections share. They are closed before. */
  close(): Promise<void>
}

export interface Capabilities {
  /** Whose history it goes on from: its native session's, or the line that it is given anew every time. */
  readonly history: 'native' | 'line'
}

export interface NativeSessions {
  /** Those of a directory and of the worktrees of its repository, newest first. */
  list(directory: string): Promise<readonly NativeSession[]>
  /**
   * What it has said as it stands now, along the line that its own tool would go on from. Rejects with the code
   * `native_missing` where the session is not there, and with `native_unreadable` where it makes no sense.
   */
  read(nativeID: string): Promise<NativeHistory>
  /** Something that changes whenever the session does, quickly found; null where the session is not there. */
  version(nativeID: string): Promise<string | null>
  /** The command with which its own tool goes on there. What `start` forks is forked by that. No connection may have it open. */
  command(start: Exclude<Start, { kind: 'fresh' }>, cwd: string): Promise<NativeCommand>
}

export interface NativeHistory {
  readonly session: NativeSession
  readonly model: string | null
  readonly version: string
  /** How many of its messages, from the first, it shares with the session that it was forked from. */
  readonly shared: number
  /** As turns would have stored them, `nativeID` too. A turn that is not surely over may be left out. */
  readonly messages: readonly NativeMessage[]
  /** What was left out, as far as it goes. */
  readonly unfinished?: readonly NativeMessage[]
}

export interface NativeCommand {
  readonly command: readonly [program: string, ...args: string[]]
  /** The native session that it goes on in. */
  readonly nativeID: string
}

export interface OpenOptions {
  readonly sessionID: SessionID
  readonly model: string | null
  readonly cwd: string
  readonly systemPrompt: string
  readonly project: ProjectAccess
  readonly start: Start
  /**
   * Prompts after the entry that `start` names, as the person said them, without what bough put before. Each is a text of its own in
   * the turn that comes next, before its prompt; but for those that the native history has after `at` all the same: an agent that
   * is resumed may have got them before it, or bough, was killed (`unsent-prompts.ts`). Where `at` is not there any more, all go.
   */
  readonly unsent: readonly string[]
  /** The session's line before the prompt that comes next, for agents that keep no history of their own. */
  history(): Promise<readonly Message[]>
  readonly tools: readonly Tool[]
  /**
   * Asked before every call of a tool of the agent's own; nothing may be done before it allows. When the signal
   * aborts while a person is asked, that is a denial. It rejects when the session was taken over: that allows nothing either.
   */
  readonly askPermission: AskPermission
  /** Told of every process the agent starts. Until it resolves that process must not act: a crash of ours could not end it. */
  recordProcess(pid: number): Promise<void>
  /** Every process of the agent is started in it; absent for one that runs as the person's own programs do. */
  readonly sandbox?: Sandbox | null
}

/** The project an agent works in. Opening it is already enough for its hooks and servers to run, so warming obeys this, too. */
export interface ProjectAccess {
  /** The top of the work tree, or the session's directory where there is no repository. */
  readonly root: string
  /** The git directory that all work trees of the repository share. */
  readonly commonDirectory: string | null
  /**
   * Ids of the parts that the person has approved; null where they do not trust the project. The agent loads and runs nothing else
   * that the project ships, whatever its own settings say.
   */
  readonly approved: ReadonlySet<string> | null
  /** Changes with what may be loaded: a connection that was opened with another one is opened anew. */
  readonly fingerprint: string
  /** Names of the filters in the repository's own git config: git runs their commands when an agent asks it for the status. */
  gitFilters(): Promise<readonly string[]>
}

export type Start =
  | { readonly kind: 'fresh' }
  /** `at` is the last entry of its history that the line knows of, if it knows any. */
  | { readonly kind: 'resume'; readonly nativeID: string; readonly at: string | null }
  /** `at` is the last entry of the other's history that is kept. */
  | { readonly kind: 'fork'; readonly nativeID: string; readonly at: string }

/** A live agent, bound to one native session. It runs one turn at a time. */
export interface Connection {
  /**
   * One turn. Aborting the signal interrupts it; the events then end with `turn-finished: interrupted`. After any other end than
   * `turn-finished` the connection is closed: nobody knows what state it is in.
   */
  send(prompt: string, signal: AbortSignal): AsyncIterable<AgentEvent>
  /** Ends the agent's processes. A connection that is closed is never used again. */
  close(): Promise<void>
}

export type AgentEvent =
  /** The session that its own history is in. As soon as a turn knows it, and before it names an entry; it may be told again. */
  | { readonly type: 'native-session'; readonly nativeID: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly callID: string; readonly name: string; readonly args: Json }
  | {
      readonly type: 'tool-result'
      readonly callID: string
      readonly name: string
      readonly output: string
      readonly exitCode: number
    }
  /** What came since the last one is a whole message. Calls are an assistant's, results a tool's: they never share one. */
  | {
      readonly type: 'message-finished'
      /**
       * The last entry of its history that belongs to the message, where it can be forked there. Of an agent that forks at ends of
       * turns only the last message of a turn has one: by `AtTheEnd`.
       */
      readonly nativeID?: string
      readonly usage?: Usage
      /** It was cut off in the middle. */
      readonly interrupted?: boolean
    }
  /** Something to tell the person meanwhile; it is not kept. */
  | { readonly type: 'notice'; readonly text: string }
  | ({ readonly type: 'turn-finished'; readonly reason: 'done' | 'interrupted' } & AtTheEnd)
  | ({ readonly type: 'error'; readonly message: string } & AtTheEnd)

/** What is only known when a turn is over. */
export interface AtTheEnd {
  /** The last entry of its history that belongs to the turn. */
  readonly nativeID?: string
  /** What was booked on none of its messages. */
  readonly usage?: Usage
}

export interface PermissionRequest {
  /** The call that asks, once or several times. Without it nobody knows which: its files are looked for everywhere then. */
  readonly callID?: string
  readonly tool: string
  /** What the tool does: read or write the file at `path`, run a command, or something else. */
  readonly action: 'read' | 'write' | 'run' | 'other'
  /** For a person: the command line, the path. */
  readonly detail: string
  /** The command line alone, where `detail` says more about it. Rules that deny judge it; it is approved once only. */
  readonly command?: string
  /** Absolute, for `read` and `write`. */
  readonly path?: string
  /** All that is below `path` is read too. */
  readonly isDeep?: boolean
  /** A person decides each time: no approval covers more than this call. */
  readonly eachTime?: boolean
  /** A link at `path` is meant itself, not what it leads to: it is about to be deleted. */
  readonly linkItself?: boolean
}

export type PermissionAnswer =
  | {
      readonly allow: true
      /** The real file that was judged, for a request with a path: an agent that can opens just that one. */
      readonly path?: string
    }
  | { readonly allow: false; readonly reason: string }

export type AskPermission = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>

/** One of bough's own tools, offered to the agent. It is called only with what `input` accepts. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: ZodObject
  call(args: Json): Promise<{ readonly output: string; readonly exitCode: number }>
}
