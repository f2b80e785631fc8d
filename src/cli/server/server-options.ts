import type { Option } from '../command.ts'

/** What every command takes, so that it goes to a server. */
export const serverOptions: readonly Option[] = [
  {
    name: 'server',
    value: 'URL',
    description: 'Go to the server at this address; otherwise that of BOUGH_SERVER, if it is set',
  },
  {
    name: 'token-file',
    value: 'FILE',
    description: 'The file of its token, where BOUGH_TOKEN is not set; otherwise the usual one',
  },
]
