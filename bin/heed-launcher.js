// For a program that the launcher has started under another Node: signals to the launcher are for us, and its end is ours.
//
// Signals mostly come to both of us: a terminal, timeout(1) and service managers send them to all. Who sends one to the
// launcher alone reaches us by a message. What comes in both ways counts once: a second Ctrl-C would end us at once.

/** Milliseconds within which a signal and the message about it have both come. */
const moment = 100

/** Milliseconds that a program has to end by itself when its launcher has gone. */
const patience = 10_000

export function heedLauncher(signals) {
  const came = new Map()
  for (const signal of signals) {
    const note = () => {
      came.set(signal, performance.now())
      if (process.listenerCount(signal) > 1) return
      // Nobody else wants it: it does what it does to a process that does not listen.
      process.off(signal, note)
      process.kill(process.pid, signal)
    }
    process.on(signal, note)
  }
  process.on('message', (signal) => {
    const told = performance.now()
    const pass = () => (came.get(signal) ?? -moment) < told - moment && process.kill(process.pid, signal)
    setTimeout(pass, moment)
  })
  process.on('disconnect', () => {
    process.kill(process.pid, 'SIGTERM')
    // As a second Ctrl-C: nobody is left who could end what takes too long.
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), patience).unref()
  })
  // It keeps nothing running by itself.
  process.channel.unref()
}
