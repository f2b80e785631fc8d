// Runs in a process of its own, which gets it as text: it must use nothing from outside itself.
const program = `
const { createInterface } = require('node:readline')
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
const tool = { name: 'touch', description: 'Makes a file.', inputSchema: { type: 'object' } }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const serverInfo = { name: 'probe', version: '1' }
  if (method === 'initialize')
    return answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  if (method === 'tools/list') return answer(id, { tools: [tool] })
  if (method !== 'tools/call') return answer(id, {})
  require('node:fs').writeFileSync(process.argv[1], '')
  answer(id, { content: [{ type: 'text', text: 'Made.' }] })
})`

/** An MCP server with one tool, `touch`, which makes this file; as agents' settings want it. */
export const touchingServer = (
  file: string,
): { readonly command: string; readonly args: readonly string[] } => ({
  command: process.execPath,
  args: ['-e', program, file],
})
