import { BoughError } from '../../tree/error.ts'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import { makeWorktree } from '../worktree/worktree.ts'
import { plan } from './worktree-ground.ts'

const [data = '', managed = '', directory = '', tree = ''] = process.argv.slice(2)
const project = await findProject(directory)
const shadow = await Shadow.open(data, project)
process.stdout.write('began\n')
try {
  await makeWorktree(shadow, project, plan({ managed, project }), tree === '' ? null : tree)
  process.stdout.write('made\n')
} catch (error) {
  if (!(error instanceof BoughError)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
}
