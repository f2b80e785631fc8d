import { findProject } from '../project.ts'
import { removeRemains } from '../worktree/worktree-remains.ts'
import { plan } from './worktree-ground.ts'

// Removes the worktree that its first argument manages for the project of its second.

const [managed = '', directory = ''] = process.argv.slice(2)
const project = await findProject(directory)
process.stdout.write('began\n')
await removeRemains(project.repository?.commonDir ?? '', plan({ managed, project }))
