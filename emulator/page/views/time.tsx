import { InTerminal } from '../parts/states.tsx'

export const Time = () => <InTerminal title="nav.time" command="payctl emulator clock" />
