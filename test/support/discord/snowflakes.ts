const discordEpoch = 1_420_070_400_000

/** Ids as Discord makes them: each larger than the one before, and 17 to 19 digits, by which discord.js knows them. */
export function snowflakes(now: () => number): () => string {
  let last = 0n
  return () => {
    const ofThisMoment = BigInt(now() - discordEpoch) << 22n
    last = ofThisMoment > last ? ofThisMoment : last + 1n
    return last.toString()
  }
}
