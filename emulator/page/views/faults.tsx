import { InTerminal } from '../parts/states.tsx'

export const Faults = () => <InTerminal title="nav.faults" command="payctl emulator faults" />
