import { InTerminal } from '../parts/states.tsx'

export const Accounts = () => <InTerminal title="nav.accounts" command="payctl emulator status" />
