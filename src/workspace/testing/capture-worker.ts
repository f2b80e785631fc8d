import { captureFiles } from '../capture/capture-files.ts'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'

const [data = '', directory = ''] = process.argv.slice(2)
process.stdout.write('began\n'.slice(0, process.env.ANNOUNCE ? undefined : 0))
const project = await findProject(directory)
const files = await captureFiles(await Shadow.open(data, project), project, 1 << 30)
process.stdout.write(JSON.stringify(files))
