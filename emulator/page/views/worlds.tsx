import { InTerminal } from '../parts/states.tsx'

export const Worlds = () => <InTerminal title="nav.worlds" command="payctl emulator worlds" />
