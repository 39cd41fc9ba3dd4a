import { InTerminal } from '../parts/states.tsx'

export const People = () => <InTerminal title="nav.people" command="payctl emulator users" />
