import manifest from '../../../package.json' with { type: 'json' }

/** What we tell others of ourselves. */
export const self = { name: 'bough', version: manifest.version } as const
