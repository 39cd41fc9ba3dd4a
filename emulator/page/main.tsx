import { render } from 'preact'
import { App } from './app.tsx'
import { startKeyboard } from './frame/keyboard.ts'
import { startLanguage } from './frame/language.ts'
import { startLive } from './frame/live.ts'
import { startMoments } from './frame/moments.ts'
import { readAddress } from './frame/router.ts'
import { takeCode } from './frame/session.ts'
import { enter } from './views/access.tsx'

const code = takeCode()
readAddress()
addEventListener('hashchange', readAddress)
startKeyboard()
startLive()
startMoments()
await startLanguage()
render(<App />, document.getElementById('page') as HTMLElement)
await enter(code)
