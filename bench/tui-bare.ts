// A program with nothing but the terminal library: one line, and where to type. The start of bough is measured against it.
import { Editor, ProcessTerminal, Text, TuiAltScreen } from '@earendil-works/pi-tui'

const as = (text: string): string => text
const tui = new TuiAltScreen(new ProcessTerminal(), true)
const editor = new Editor(tui, {
  borderColor: as,
  selectList: { selectedPrefix: as, selectedText: as, description: as, scrollInfo: as, noMatch: as },
})
tui.addChild(new Text('A bare program.'))
tui.addChild(editor)
tui.setFocus(editor)
tui.start()
process.on('SIGTERM', () => {
  tui.stop()
  process.exit(0)
})
