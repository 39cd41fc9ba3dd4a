import { InTerminal } from '../parts/states.tsx'

export const Report = () => <InTerminal title="nav.report" command="payctl emulator report" />
