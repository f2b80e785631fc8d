import { captureFiles } from '../capture/capture-files.ts'
import { findProject } from '../project.ts'
import { applyRestore, treeForUndo } from '../restore/restore-files.ts'
import { planRestore } from '../restore/restore-plan.ts'
import { Shadow } from '../shadow/shadow.ts'

// Puts the files of its second argument back to the tree that is its third, with the shadow in the data directory that
// is its first. Prints the tree for an undo before it begins, and what it left when it is done.

const [data = '', directory = '', tree = ''] = process.argv.slice(2)
const project = await findProject(directory)
const shadow = await Shadow.open(data, project)
const from = await captureFiles(shadow, project, 1 << 30)
const plan = await planRestore(shadow, project, from, { tree, missing: [] })
const undo = await treeForUndo(shadow, project, from, plan)
process.stdout.write(`${undo}\n`)
const late = await applyRestore(shadow, project, plan)
process.stdout.write(`${JSON.stringify({ planned: plan.left, late })}\n`)
