/** How the commands that bough suggests can be typed: in a checkout started with `npm start`, npm has to find them. */
export const programName = (env: NodeJS.ProcessEnv): string =>
  env.npm_lifecycle_event === 'start' ? 'npx bough' : 'bough'
